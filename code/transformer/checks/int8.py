"""Checks at the doors of weights in eight bits."""

import torch
from torch import nn

from transformer.checks.tensors import hides_weights
from transformer.checks.values import check_kind


def check_linear(linear: object) -> None:
    """Check that the matrix of a linear map can be quantized."""
    check_kind("linear", linear, nn.Linear)
    if not torch.isfinite(linear.weight).all():
        raise ValueError(
            "the weights of a map must be finite to be quantized, got "
            f"{int((~torch.isfinite(linear.weight)).sum())} that are not; look for "
            "the step of the training at which they became so."
        )


def check_bits(bits: object) -> None:
    """Check that weights can be stored in so many bits."""
    if type(bits) is not int or bits != 8:
        raise ValueError(
            f"bits must be 8, the one size that weights are stored in here, got "
            f"{bits!r}; leave it out."
        )


def check_floats(model: nn.Module, quantized: type[nn.Module], *, purpose: str) -> None:
    """Refuse a model whose weights were quantized before."""
    found = [
        name
        for name, part in model.named_modules()
        if isinstance(part, quantized) or hides_weights(part)
    ]
    if found:
        raise ValueError(
            f"a model must hold its weights as floats {purpose}, got "
            f"{len(found)} maps that are quantized, such as {found[0] or 'itself'!r}; "
            "pass the model as it was before."
        )
