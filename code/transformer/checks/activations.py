"""Checks at the doors of activations."""

import sys

from torch import Tensor

from transformer.checks.tensors import check_float_tensor, check_same_kind


def check_swish(x: object, beta: object) -> None:
    """Check that beta is a finite number or a tensor that fits `x`."""
    check_float_tensor("x", x)
    if isinstance(beta, Tensor):
        check_float_tensor("beta", beta)
        check_same_kind(x=x, beta=beta)
        if beta.shape not in ((), (1,), x.shape[-1:]):
            raise ValueError(
                f"beta must hold one value, or one for each feature of x of shape "
                f"{tuple(x.shape)}, got shape {tuple(beta.shape)}; reshape it."
            )
    elif isinstance(beta, bool) or not isinstance(beta, int | float):
        raise TypeError(
            f"beta must be a number or a tensor, got {beta!r} "
            f"({type(beta).__name__}); pass a float."
        )
    elif not abs(beta) <= sys.float_info.max:
        raise ValueError(f"beta must be finite, got {beta}; pass such a number.")
