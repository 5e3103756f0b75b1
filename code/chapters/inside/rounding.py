"""Numbers of a language model rounded to few bits: its streams, or its weights."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float
from torch import Tensor, nn


def rounded(numbers: Tensor, bits: int) -> Tensor:
    """Round each row to whole steps, so many that its largest size is the last one.

    With b bits there are $2^{b-1} - 1$ steps on either side of zero.
    """
    steps = 2 ** (bits - 1) - 1
    step = numbers.abs().amax(dim=-1, keepdim=True) / steps
    return torch.where(step > 0, (numbers / step).round() * step, numbers)


def rounded_stream(
    stream: Float[Tensor, "texts time d_model"], *, each: str, bits: int
) -> Float[Tensor, "texts time d_model"]:
    """Round a stream with one step for each token, for a text, or for a part of it.

    Args:
        stream: The vectors of all tokens.
        each: What has a step of its own: "text", "token", "first token", or "text but
            the first token". What is not named is left as it is.
        bits: How many.
    """
    if each == "token":
        return rounded(stream, bits)
    first, end = {"first token": (0, 1), "text": (0, None)}.get(each, (1, None))
    result = stream.clone()
    part = stream[:, first:end]
    result[:, first:end] = rounded(part.flatten(start_dim=1), bits).view_as(part)
    return result


@contextmanager
def rounded_streams(
    model: nn.Module, layers: Iterable[int], *, each: str, bits: int = 8
) -> Iterator[None]:
    """Round the stream after some layers while the block runs.

    Args:
        model: A decoder-only language model.
        layers: After which layers, from 1.
        each: What has a step of its own, see `rounded_stream`.
        bits: How many.
    """
    hooks = [
        model.decoder.layers[layer - 1].register_forward_hook(
            lambda part, given, output: rounded_stream(output, each=each, bits=bits)
        )
        for layer in layers
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


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
