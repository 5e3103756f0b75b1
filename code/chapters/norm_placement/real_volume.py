"""A real language model whose stream is changed behind one of its layers."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.real_model import finish, streams_of

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


@lru_cache(maxsize=2)  # two texts are changed again and again
def unchanged(
    model: nn.Module, ids: tuple[int, ...]
) -> Float[Tensor, "depth 1 time d_model"]:
    """Return the stream of a text as it enters the first layer, and after each."""
    return streams_of(model, torch.tensor([ids]))


def loss_changed(
    model: nn.Module,
    ids: Sequence[int],
    layer: int,
    change: Callable[[Tensor], Tensor],
) -> float:
    """Return the loss of a text where the stream is changed behind one layer.

    The first token stays as it is: in many models its vector is huge.

    Args:
        model: A decoder-only language model.
        ids: The tokens of the text.
        layer: The number of the layer, from 1.
        change: Makes of the vectors others of the same shape.
    """
    x = unchanged(model, tuple(ids))[layer]
    x = torch.cat((x[:, :1], change(x[:, 1:])), dim=1)
    above = range(layer + 1, len(model.decoder.layers) + 1)
    return finish(model, x, above, torch.tensor([ids])).item()


def mean_size(model: nn.Module, ids: Sequence[int], layer: int) -> float:
    """Return the mean size of the vectors behind one layer, without the first."""
    return size(unchanged(model, tuple(ids))[layer, :, 1:]).mean().item()
