"""A real language model whose stream is changed behind one of its layers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.real_model import loss_of

FACTS = (
    "Water boils when its vapor pressure equals the pressure of the air around it. "
    "On a high mountain the air is thinner, so water boils at a lower temperature."
)
STORY = (
    "The old lighthouse keeper climbed the stairs every evening to light the lamp. "
    "From the top he could see the fishing boats coming home."
)


def size(x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch 1"]:
    """Return the root mean square of each vector's features."""
    return x.square().mean(dim=-1, keepdim=True).sqrt()


@contextmanager
def changed_after(
    model: nn.Module, layer: int, change: Callable[[Tensor], Tensor]
) -> Iterator[None]:
    """Change the stream behind one layer while the block runs.

    The first token stays as it is: in many models its vector is huge.

    Args:
        model: A decoder-only language model.
        layer: Its number, from 1.
        change: Makes of the vectors others of the same shape.
    """

    def put(_: nn.Module, inputs: tuple, x: Tensor) -> Tensor:
        return torch.cat((x[:, :1], change(x[:, 1:])), dim=1)

    hook = model.decoder.layers[layer - 1].register_forward_hook(put)
    try:
        yield
    finally:
        hook.remove()


def loss_changed(
    model: nn.Module,
    ids: Sequence[int],
    layer: int,
    change: Callable[[Tensor], Tensor],
) -> float:
    """Return the loss of a text where the stream is changed behind one layer.

    Args:
        model: As in `changed_after`.
        ids: Its tokens.
        layer: As in `changed_after`.
        change: As in `changed_after`.
    """
    with changed_after(model, layer, change):
        return loss_of(model, ids)


def mean_size(model: nn.Module, ids: Sequence[int], layer: int) -> float:
    """Return the mean size of the vectors behind one layer, without the first."""
    found = []

    def look(x: Tensor) -> Tensor:
        found.append(size(x).mean().item())
        return x

    loss_changed(model, ids, layer, look)
    return found[0]
