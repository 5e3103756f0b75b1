"""Checks at the doors of normalization."""

from torch import nn

from transformer.checks.tensors import (
    check_float_tensor,
    check_last_axis,
    check_same_kind,
)
from transformer.checks.values import check_positive


def check_vectors(norm: nn.Module, x: object) -> None:
    """Check that a norm can take `x`."""
    check_last_axis("x", x, norm.weight.size(0), axis="d_model")


def check_layer_norm(x: object, weight: object, bias: object, eps: object) -> None:
    """Check the arguments of `layer_norm`."""
    _check_formula(x, eps, weight=weight, bias=bias)


def check_rms_norm(x: object, weight: object, eps: object) -> None:
    """Check the arguments of `rms_norm`."""
    _check_formula(x, eps, weight=weight)


def _check_formula(x: object, eps: object, **parameters: object) -> None:
    """Check that vectors, parameters and eps fit together."""
    check_positive("eps", eps)
    check_float_tensor("x", x)
    for name, parameter in parameters.items():
        check_float_tensor(name, parameter)
        if x.dim() < 1 or parameter.shape != x.shape[-1:]:
            raise ValueError(
                f"{name} must hold one number for each feature of x, got shapes "
                f"{tuple(parameter.shape)} and {tuple(x.shape)}; change one of them."
            )
    check_same_kind(x=x, **parameters)
