"""A real language model whose hands are moved, stretched or stopped."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

import torch
from torch import Tensor, nn

from chapters.laboratory.real_model import as_ids
from transformer.layers import RotaryEmbedding
from transformer.layers.rotation import signed


def hands_of(model: nn.Module) -> list[RotaryEmbedding]:
    """Return what turns the queries and keys of each layer."""
    return [part for part in model.modules() if isinstance(part, RotaryEmbedding)]


@contextmanager
def at_positions(model: nn.Module, change: Callable[[Tensor], Tensor]) -> Iterator:
    """Give every layer other positions inside the `with` block.

    Args:
        model: A model with rotary embeddings.
        change: Takes the positions 0, 1, 2, … and returns those to turn by.
    """
    hands = hands_of(model)
    for hand in hands:
        before = hand.rotation
        hand.rotation = lambda positions, dtype, before=before: before(
            change(positions), dtype
        )
    try:
        yield
    finally:
        for hand in hands:
            del hand.rotation  # that of the class is found again


@contextmanager
def with_frequencies(
    model: nn.Module, change: Callable[[Tensor], Tensor], *, layout: str | None = None
) -> Iterator:
    """Give every layer other frequencies inside the `with` block, or another layout.

    Args:
        model: A model with rotary embeddings, or a layer of one: the others, which turn
            by the same hands, are left alone.
        change: Takes the frequencies of the planes and returns those to turn by.
        layout: Which features pair up meanwhile; as before if not given.
    """
    turning = [part for part in model.modules() if getattr(part, "rotary", None)]
    shared = [part.rotary for part in turning]
    for part in turning:
        part.rotary = copy(part.rotary)
    before = [(hand, hand.frequencies, hand.layout) for hand in hands_of(model)]
    for hand, frequencies, own in before:
        hand.layout = own if layout is None else layout
        planes = frequencies.abs().unique().flip(0)  # fastest first, as they stand
        hand.frequencies = signed(change(planes), hand.layout)
    try:
        yield
    finally:
        for hand, frequencies, own in before:
            hand.frequencies, hand.layout = frequencies, own
        for part, hand in zip(turning, shared, strict=True):
            part.rotary = hand


def stopped(model: nn.Module, planes: slice) -> Iterator:
    """Let some planes stand still in every layer inside a `with` block."""

    def change(frequencies: Tensor) -> Tensor:
        frequencies = frequencies.clone()
        frequencies[planes] = 0
        return frequencies

    return with_frequencies(model, change)


def in_layout(model: nn.Module, layout: str) -> Iterator:
    """Pair other features up, with the same weights, inside a `with` block."""
    return with_frequencies(model, lambda frequencies: frequencies, layout=layout)


@torch.no_grad()
def chance(model: nn.Module, tokenizer: object, text: str, word: str) -> float:
    """Return the probability that a word, one token, comes next."""
    (token,) = tokenizer.encode(word)
    ids = as_ids(tokenizer, text)
    return model(ids)[0, -1].softmax(dim=-1)[token].item()
