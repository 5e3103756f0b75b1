"""Numbers and weights of a model, rounded to few bits."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


def rounded(numbers: Tensor, bits: int) -> Tensor:
    """Round each row to whole steps, so many that its largest size is the last one.

    With b bits there are $2^{b-1} - 1$ steps on either side of zero.
    """
    steps = 2 ** (bits - 1) - 1
    step = numbers.abs().amax(dim=-1, keepdim=True) / steps
    return torch.where(step > 0, (numbers / step).round() * step, numbers)


@contextmanager
def rounded_weights(
    model: nn.Module, bits: int, *, block: int | None
) -> Iterator[None]:
    """Round the matrices of all layers while the block runs.

    Args:
        model: A decoder-only language model.
        bits: How many for each weight.
        block: How many neighbors share a step; a whole row when there is no number.
    """
    kept = []
    for part in model.decoder.layers.modules():
        if isinstance(part, nn.Linear):
            weight = part.weight.data
            kept.append((part, weight))
            blocks = weight.unflatten(1, (-1, block or weight.size(1)))
            part.weight.data = rounded(blocks, bits).flatten(start_dim=1)
    try:
        yield
    finally:
        for part, weight in kept:
            part.weight.data = weight
