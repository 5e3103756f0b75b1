"""SmolLM2 with the gates, or the messages, that belong to another sentence."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from transformer.zoo import LanguageModel

CAPITALS = {
    "France": " Paris",
    "Italy": " Rome",
    "Japan": " Tokyo",
    "Spain": " Madrid",
    "England": " London",
    "Russia": " Moscow",
    "Germany": " Berlin",
    "China": " Beijing",
}
PARTS = {"doors": "gate_projection", "messages": "up_projection"}
NEITHER, OWN, OWNERS = 0, 1, 2


def sentence(country: str) -> str:
    """Return the beginning of a sentence that a capital completes."""
    return f"The capital of {country} is"


@contextmanager
def put(
    model: nn.Module, part: str, change: Callable[[int, Tensor], Tensor | None]
) -> Iterator[None]:
    """Let a function replace what makes the doors, or the messages, in each layer.

    Args:
        model: The language model.
        part: A key of `PARTS`.
        change: Called with the number of the layer and what its projection returns;
            None keeps that.
    """
    handles = [
        getattr(block.feed_forward, PARTS[part]).register_forward_hook(
            lambda _, __, output, layer=layer: change(layer, output)
        )
        for layer, block in enumerate(model.decoder.layers)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@torch.no_grad()
def chances(smollm: LanguageModel, texts: Sequence[str]) -> Tensor:
    """Return the probability of each next token, one row for each text.

    Args:
        smollm: The model and its tokenizer.
        texts: As many tokens in each.
    """
    model, tokenizer = smollm
    device = next(model.parameters()).device
    ids = torch.tensor([tokenizer.encode(text) for text in texts], device=device)
    return model(ids)[:, -1].softmax(dim=-1).cpu()


def chances_with(
    smollm: LanguageModel, texts: Sequence[str], part: str, owner: str
) -> Tensor:
    """Return the chances of the next token, with doors or messages of another text.

    Args:
        smollm: The model and its tokenizer.
        texts: What the model reads.
        part: A key of `PARTS`: what is put in, in every layer and at every word.
        owner: The text it is taken from, with as many tokens.
    """
    kept: list[Tensor] = []
    with put(smollm[0], part, lambda _, output: kept.append(output)):
        chances(smollm, [owner])
    rows = len(texts)
    with put(smollm[0], part, lambda layer, _: kept[layer].expand(rows, -1, -1)):
        return chances(smollm, texts)


def likeliest(smollm: LanguageModel, rows: Tensor) -> list[tuple[str, float]]:
    """Return the likeliest token of each row, and its probability."""
    chance, token = rows.max(dim=-1)
    words = [smollm[1].decode([number]) for number in token.tolist()]
    return list(zip(words, chance.tolist(), strict=True))


def judge(smollm: LanguageModel, part: str) -> np.ndarray:
    """Return whose capital is named, for each owner of a part and each sentence.

    Returns:
        `OWNERS`, `OWN` or `NEITHER` in each cell; rows are the owners.
    """
    texts = [sentence(country) for country in CAPITALS]
    found = np.full((len(texts), len(texts)), NEITHER)
    for row, owner in enumerate(CAPITALS):
        rows = chances_with(smollm, texts, part, sentence(owner))
        said = [word for word, _ in likeliest(smollm, rows)]
        for column, (country, word) in enumerate(zip(CAPITALS, said, strict=True)):
            if word == CAPITALS[owner]:
                found[row, column] = OWNERS
            elif word == CAPITALS[country]:
                found[row, column] = OWN
    return found


def share_of_the_loudest(smollm: LanguageModel, text: str, share: float) -> Tensor:
    """Return how much of the squares of a layer's units the loudest of them hold.

    Args:
        smollm: The model and its tokenizer.
        text: What the model reads.
        share: How many of the units count as loud, of one.

    Returns:
        One number for each layer, the mean over the words.
    """
    found: list[Tensor] = []

    def note(_: nn.Module, inputs: tuple[Tensor]) -> None:
        squares = inputs[0][0].square().sort(dim=-1, descending=True).values
        loud = squares[:, : int(share * squares.size(-1))].sum(dim=-1)
        found.append((loud / squares.sum(dim=-1)).mean().cpu())

    handles = [
        block.feed_forward.down_projection.register_forward_pre_hook(note)
        for block in smollm[0].decoder.layers
    ]
    chances(smollm, [text])
    for handle in handles:
        handle.remove()
    return torch.stack(found)
