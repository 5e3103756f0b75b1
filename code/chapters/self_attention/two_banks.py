"""One word with two meanings, read by a real language model."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from chapters.laboratory.real_model import as_rows, streams_of
from chapters.tables import Table

# What comes before the word.
BEFORE = {
    "river": (
        "We sat on the grass by the river, near the",
        "The boat drifted down the river and hit the",
        "The fishermen pulled the canoe out of the water and onto the",
        "After the flood the stream had washed away the",
    ),
    "money": (
        "He opened an account with the",
        "The loan was refused by the",
        "She took her money and put it in the",
        "The robbers stole a million dollars from the",
    ),
}


def residual_streams(
    model: nn.Module, tokenizer: object, texts: Sequence[str]
) -> Float[Tensor, "texts depth d_model"]:
    """Return the vector of each last token, as embedded and after each layer.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        texts: What it reads.
    """
    ids, ends = as_rows(tokenizer, texts)
    return streams_of(model, ids)[:, torch.arange(len(ids)), ends].transpose(0, 1)


def vectors_of_word(
    model: nn.Module, tokenizer: object, word: str
) -> dict[str, list[Tensor]]:
    """Return the vectors of a word that ends each sentence, by what it is about.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        word: The word, one token with the space before it.
    """
    return {
        meaning: [
            *residual_streams(model, tokenizer, [before + word for before in sentences])
        ]
        for meaning, sentences in BEFORE.items()
    }


def agreement(found: dict[str, list[Tensor]]) -> tuple[Tensor, Tensor]:
    """Return how alike the vectors are, within a meaning and across, by depth.

    Args:
        found: What `vectors_of_word` returns.

    Returns:
        The mean cosine of two vectors of one meaning, and of two meanings.
    """
    within = [pair for vectors in found.values() for pair in combinations(vectors, 2)]
    across = list(product(*found.values()))
    means = (
        torch.stack([cosine_similarity(a, b, dim=-1) for a, b in pairs]).mean(dim=0)
        for pairs in (within, across)
    )
    return tuple(means)


def compare(
    model: nn.Module, tokenizer: object, words: Sequence[str]
) -> dict[str, tuple[Tensor, Tensor]]:
    """Return for each word how alike its vectors are, as `agreement` does.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        words: The words, each one token with a space before it.
    """
    return {
        word: agreement(vectors_of_word(model, tokenizer, f" {word}")) for word in words
    }


def table(
    found: Mapping[str, tuple[Tensor, Tensor]], *, layers: Sequence[int]
) -> Table:
    """Write down how alike the vectors of words are.

    Args:
        found: For each word what `agreement` returns.
        layers: After how many layers.
    """
    rows = (
        [f"{word}, {topic}", *cosines[[*layers]]]
        for word, means in found.items()
        for topic, cosines in zip(("same topic", "other topic"), means, strict=True)
    )
    return Table(["layers read", *map(str, layers)], rows)
