"""Checks of tensors: kind, shape, dtype and device."""

from collections.abc import Sequence

import torch
from torch import Tensor

INTEGER_DTYPES = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def can_read(x: Tensor) -> bool:
    """Return whether the numbers of a tensor can be read.

    They cannot while a program is recorded, or while `torch.func` lets one tensor stand
    for many.
    """
    if x.device.type == "meta" or torch.compiler.is_compiling():
        return False
    return not is_transformed(x)


def is_transformed(x: Tensor) -> bool:
    """Return whether `torch.func` follows a tensor; with `vmap` it stands for many."""
    return not torch.compiler.is_compiling() and torch.func.debug_unwrap(x) is not x


def check_features(name: str, x: object, size: int, *, axis: str = "d_model") -> None:
    """Check that `x` is a float tensor of shape (..., time, d_model)."""
    check_float_tensor(name, x)
    if x.dim() < 2 or x.size(-1) != size:
        raise ValueError(
            f"{name} must have shape (..., time, {axis}={size}), "
            f"got {tuple(x.shape)}; put the features on the last axis."
        )


def check_float_tensor(name: str, x: Tensor) -> None:
    """Check that a tensor holds floating-point numbers."""
    if not x.is_floating_point():
        remedy = (
            "take .real or .abs()" if x.is_complex() else "convert it with .float()"
        )
        raise TypeError(
            f"{name} must hold floating-point numbers, got {x.dtype}; {remedy}."
        )


def check_boolean(
    name: str,
    x: object,
    *,
    means: str,
    remedy: str = "write for example tokens != pad_id",
) -> None:
    """Check that `x` is a tensor that says True or False."""
    if not isinstance(x, Tensor) or x.dtype != torch.bool:
        came = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(
            f"{name} must be a Boolean tensor in which True means {means}, got "
            f"{came}; {remedy}."
        )


def broadcasts(came: Sequence[int], want: Sequence[int]) -> bool:
    """Return whether a shape can be repeated to another one."""
    sizes = zip(reversed(came), reversed(want), strict=False)
    return len(came) <= len(want) and all(size in (1, full) for size, full in sizes)


def check_same_kind(**tensors: Tensor) -> None:
    """Check that all tensors have the dtype and the device of the first one."""
    (first_name, first), *others = tensors.items()
    for name, tensor in others:
        if tensor.dtype != first.dtype:
            raise TypeError(
                f"{first_name} and {name} must have one dtype, got {first.dtype} "
                f"and {tensor.dtype}; convert one with .to({first.dtype})."
            )
        if tensor.device != first.device:
            raise ValueError(
                f"{first_name} and {name} must be on one device, got "
                f"{first.device} and {tensor.device}; move one with .to(device)."
            )


def check_tokens(
    tokens: Tensor, vocab_size: int | None = None, *, name: str = "tokens"
) -> None:
    """Check that tokens are ids from 0 to `vocab_size` - 1."""
    if not isinstance(tokens, Tensor):
        raise TypeError(
            f"{name} must be a tensor of ids, got {type(tokens).__name__}; pass "
            f"torch.tensor({name}), or let generate read lists and texts."
        )
    if tokens.dtype not in INTEGER_DTYPES:
        raise TypeError(
            f"{name} must be integer ids, got {tokens.dtype}; convert with .long()."
        )
    if vocab_size is None or tokens.numel() == 0 or not can_read(tokens):
        return
    low, high = int(tokens.min()), int(tokens.max())
    if low < 0 or high >= vocab_size:
        raise ValueError(
            f"token ids must lie from 0 to {vocab_size - 1}, got ids from {low} to "
            f"{high}; check the tokenizer or enlarge vocab_size={vocab_size}."
        )


def check_text_ids(ids: object) -> None:
    """Check that a text is one row of ids."""
    if not isinstance(ids, Tensor) or ids.is_floating_point() or ids.dim() != 1:
        found = tuple(ids.shape) if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(
            f"ids must be integers on one axis, got {found}; pass "
            "torch.tensor(tokenizer.encode(text))."
        )


def autocasts(x: Tensor) -> bool:
    """Return whether PyTorch chooses the dtypes of results itself."""
    device = x.device.type  # the meta device knows no autocast
    available = torch.amp.is_autocast_available(device)
    return available and torch.is_autocast_enabled(device)


def check_positions(name: str, positions: Tensor) -> None:
    """Check that positions are whole numbers in a tensor with a time axis."""
    if positions.dtype not in INTEGER_DTYPES:
        raise TypeError(
            f"{name} must be whole numbers, got {positions.dtype}; convert them with "
            ".long()."
        )
    if positions.dim() == 0:
        raise ValueError(
            f"{name} must have a time axis, got a single number; add it with [None]."
        )


def check_float_dtype(name: str, dtype: object) -> None:
    """Check that a type is a floating-point type of PyTorch."""
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(
            f"{name} must be a floating-point type, got {dtype!r}; pass one such as "
            "torch.float32."
        )
