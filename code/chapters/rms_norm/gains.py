"""The gains in front of a real model's feed-forward networks, seen and turned."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.layers import RMSNorm


def norms_before_networks(model: nn.Module) -> list[RMSNorm]:
    """Return the norm in front of each layer's feed-forward network."""
    return [layer.feed_forward_residual.norm for layer in model.decoder.layers]


@torch.no_grad()
def gains_before_networks(model: nn.Module) -> Float[Tensor, "layers d_model"]:
    """Return the sizes of the gains in front of the feed-forward networks."""
    return torch.stack([norm.weight.abs() for norm in norms_before_networks(model)])


@contextmanager
def turned(
    model: nn.Module, feature: int, layers: Iterable[int], *, to: float | None
) -> Iterator[None]:
    """Let the gain of one feature be another while the block runs.

    Args:
        model: A decoder-only language model.
        feature: Which one, from 0.
        layers: In front of whose feed-forward networks, from 1.
        to: The gain, or None for the median of the sizes in its norm.
    """
    norms = [norms_before_networks(model)[layer - 1] for layer in layers]
    before = [norm.weight[feature].item() for norm in norms]
    try:
        for norm in norms:
            gain = norm.weight.abs().median().item() if to is None else to
            norm.weight.data[feature] = gain
        yield
    finally:
        for norm, gain in zip(norms, before, strict=True):
            norm.weight.data[feature] = gain
