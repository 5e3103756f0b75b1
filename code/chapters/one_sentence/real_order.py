"""Two words in two orders: what a language model says, and where one head looks."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.real_model import (
    as_ids,
    next_logits,
    streams_of,
    switched_off,
    weights_of_head,
)
from transformer.models import attention_maps

EXAMPLES = (("old", "man"), ("black", "cat"), ("green", "apple"))
# By these the head was chosen; the others tell whether it does the same for new words.
CHOSEN_BY = (
    ("red", "house"),
    ("white", "horse"),
    ("cold", "water"),
    ("big", "table"),
    ("blue", "car"),
    ("small", "dog"),
)
OTHERS = (
    ("young", "girl"),
    ("dark", "night"),
    ("long", "road"),
    ("sweet", "cake"),
    ("yellow", "bird"),
    ("new", "book"),
)


def line(first: str, second: str, *, turned: bool) -> str:
    """Return an example: two words, and the same in the order that is wanted."""
    answer = f"{second} {first}" if turned else f"{first} {second}"
    return f"{first} {second} -> {answer}\n"


def prompt(first: str, second: str, *, turned: bool) -> str:
    """Return three examples of an order, and two words that wait for theirs.

    Args:
        first: A word that is one token with a space before it.
        second: Another.
        turned: Whether the examples turn the order around.
    """
    lines = [line(*pair, turned=turned) for pair in EXAMPLES]
    return "".join(lines) + f"{first} {second} ->"


def ids_of(tokenizer: object, texts: Sequence[str]) -> Int[Tensor, "texts time"]:
    """Return the ids of texts of the same length, one row for each."""
    return torch.cat([as_ids(tokenizer, text) for text in texts])


@lru_cache(maxsize=1)  # the model as it is is asked first, then with silent heads
def read(
    model: nn.Module, tokenizer: object, texts: tuple[str, ...]
) -> Float[Tensor, "depth texts time d_model"]:
    """Return the stream of texts as it enters the first layer, and after each."""
    return streams_of(model, ids_of(tokenizer, texts))


@torch.no_grad()
def probabilities(
    model: nn.Module, tokenizer: object, texts: Sequence[str], words: Sequence[str]
) -> Float[Tensor, " texts"]:
    """Return for each text the probability that its word comes next.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        texts: Texts of the same number of tokens.
        words: For each text a word that is one token with a space before it.
    """
    wanted = ids_of(tokenizer, [f" {word}" for word in words])
    streams = read(model, tokenizer, tuple(texts))
    shares = next_logits(model, streams[-1], depth=len(streams) - 1).softmax(dim=-1)
    return shares.gather(1, wanted)[:, 0]


def texts_and_answers(
    pairs: Sequence[tuple[str, str]], *, turned: bool, place: int
) -> tuple[list[str], list[str]]:
    """Return what is read before a word is to be said, and the word.

    Args:
        pairs: The words that are to be said.
        turned: Whether the examples turn the order around.
        place: Which of the two words it is, 0 or 1; the first stands there already
            when the second is to be said.
    """
    answers = [pair[::-1] if turned else pair for pair in pairs]
    texts = [
        " ".join((prompt(*pair, turned=turned), *answer[:place]))
        for pair, answer in zip(pairs, answers, strict=True)
    ]
    return texts, [answer[place] for answer in answers]


def mean_probability(
    model: nn.Module,
    tokenizer: object,
    pairs: Sequence[tuple[str, str]],
    *,
    turned: bool,
    place: int,
) -> float:
    """Return the mean probability of the right word; see `texts_and_answers`."""
    texts, answers = texts_and_answers(pairs, turned=turned, place=place)
    return probabilities(model, tokenizer, texts, answers).mean().item()


@torch.no_grad()
def without_each_head(
    model: nn.Module,
    tokenizer: object,
    pairs: Sequence[tuple[str, str]],
    *,
    turned: bool,
    place: int,
    layer: int,
) -> list[float]:
    """Return `mean_probability` with each head of one layer silent in turn.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        pairs: As in `texts_and_answers`.
        turned: As there.
        place: As there.
        layer: Which layer, from 1.
    """
    texts, answers = texts_and_answers(pairs, turned=turned, place=place)
    wanted = ids_of(tokenizer, [f" {word}" for word in answers])
    below = read(model, tokenizer, tuple(texts))[layer - 1]
    found = []
    for head in range(1, model.config.num_heads + 1):
        with switched_off(model, [(layer, head)]):
            shares = next_logits(model, below, depth=layer - 1).softmax(dim=-1)
        found.append(shares.gather(1, wanted).mean().item())
    return found


def looks_at_pairs(
    model: nn.Module,
    tokenizer: object,
    pairs: Sequence[tuple[str, str]],
    *,
    turned: bool,
    layer: int,
    head: int,
) -> Float[Tensor, "pairs 2 2"]:
    """Return how much one head looks at each word of a pair that is to be said.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        pairs: Two words of one token each.
        turned: Whether the examples turn the order around.
        layer: Which layer, from 1.
        head: Which of its heads, from 1.

    Returns:
        For each pair a row before each word that is to be said, and a column for each
        word of the pair as it was given.
    """
    rows = []
    for place in (0, 1):
        texts, _ = texts_and_answers(pairs, turned=turned, place=place)
        ids = ids_of(tokenizer, texts)
        weights = weights_of_head(model, ids, layer=layer, head=head)[:, -1]
        arrow = weights.size(-1) - 1 - place
        rows.append(weights[:, arrow - 2 : arrow])
    return torch.stack(rows, dim=1)


@torch.no_grad()
def leads(
    model: nn.Module, tokenizer: object, pairs: Sequence[tuple[str, str]]
) -> Float[Tensor, "layers heads"]:
    """Return how much more each head looks at the word whose turn it is.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        pairs: Two words of one token each.

    Returns:
        The weight at that word minus the weight at the other word of the pair, as the
        mean over both orders, both places and the pairs.
    """
    found = []
    for turned, place in product((True, False), (0, 1)):
        texts, _ = texts_and_answers(pairs, turned=turned, place=place)
        with attention_maps(model) as maps:
            streams_of(model, ids_of(tokenizer, texts))
        weights = torch.stack(list(maps.values()))[..., -1, :].mean(dim=1)
        arrow = weights.size(-1) - 1 - place
        first, second = weights[..., arrow - 2], weights[..., arrow - 1]
        found.append((first - second) * (-1 if turned != bool(place) else 1))
    return torch.stack(found).mean(dim=0)
