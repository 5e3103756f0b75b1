"""Checks at the doors of residual connections."""

from collections.abc import Callable

from torch import Tensor

from transformer.checks.doors import handed_in
from transformer.checks.tensors import autocasts, check_float_tensor


def check_branch(x: object, sublayer: object) -> dict[str, Callable]:
    """Check the input, and have what the sublayer returns checked as well."""
    check_float_tensor("x", x)
    if not callable(sublayer):
        raise TypeError(
            f"sublayer must be a function or a module, got {type(sublayer).__name__}; "
            "pass the layer itself, not its result."
        )
    work = handed_in(sublayer)

    def checked(x: Tensor) -> Tensor:
        change = work(x)
        _check_change(change, x)
        return change

    return {"sublayer": checked}


def _check_change(change: object, x: Tensor) -> None:
    """Check that a change can be added to `x` number by number."""
    if not isinstance(change, Tensor):
        raise TypeError(
            f"sublayer must return a torch.Tensor, got {type(change).__name__}; wrap "
            "it in a function that returns the tensor alone."
        )
    if change.shape != x.shape:
        raise ValueError(
            f"sublayer must return the shape of x, got {tuple(change.shape)} for "
            f"{tuple(x.shape)}; project back to d_model features."
        )
    if change.device != x.device:
        raise ValueError(
            f"sublayer must return the device of x, got {change.device} for "
            f"{x.device}; move the sublayer with .to(device)."
        )
    if change.dtype != x.dtype and not (change.is_floating_point() and autocasts(x)):
        raise TypeError(
            f"sublayer must return the dtype of x, got {change.dtype} for {x.dtype}; "
            f"convert the sublayer or its result with .to({x.dtype})."
        )
