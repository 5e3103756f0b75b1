"""Checks at the public doors: what must hold, what came, what to do.

Each function returns nothing when all is well. It raises a `TypeError` when a value is
of the wrong kind and a `ValueError` when it is of the right kind but does not fit.
"""

import sys
from collections.abc import Collection, Hashable
from types import NoneType, UnionType

import torch
from torch import Tensor

INTEGER_DTYPES = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def can_read(x: Tensor) -> bool:
    """Tell whether the numbers of a tensor are there to be looked at."""
    return x.device.type != "meta" and not torch.compiler.is_compiling()


def check_size(name: str, value: object, *, minimum: int = 1) -> None:
    """Refuse a size that is not a whole number of at least `minimum`.

    While a model is exported for any length, a size may be a symbol.
    """
    if isinstance(value, bool) or not isinstance(value, int | torch.SymInt):
        raise TypeError(
            f"{name} must be a whole number, got {value!r} "
            f"({type(value).__name__}); pass an int."
        )
    if value < minimum:
        raise ValueError(
            f"{name} must be at least {minimum}, got {value}; pass a larger number."
        )


def check_even(name: str, value: object) -> None:
    """Refuse a number of features that cannot be split into pairs."""
    check_size(name, value, minimum=2)
    if value % 2:
        raise ValueError(
            f"{name} must be even, because features come in pairs, got {value}; "
            f"choose {value - 1} or {value + 1}."
        )


def check_divisible(name: str, value: int, divisor_name: str, divisor: int) -> None:
    """Refuse a size that another size does not divide."""
    if value % divisor:
        raise ValueError(
            f"{divisor_name} must divide {name}, got {name}={value} and "
            f"{divisor_name}={divisor}; change one of them."
        )


def check_dropout(dropout: object, *, name: str = "dropout") -> None:
    """Refuse a dropout probability outside [0, 1)."""
    if isinstance(dropout, bool) or not isinstance(dropout, int | float):
        raise TypeError(
            f"{name} must be a probability, got {dropout!r} "
            f"({type(dropout).__name__}); pass a number such as 0.1."
        )
    if not 0 <= dropout < 1:
        raise ValueError(
            f"{name} must be at least 0 and below 1, got {dropout}; "
            "pass the share of values to drop, such as 0.1."
        )


def check_positive(name: str, value: object, *, above: float = 0.0) -> None:
    """Refuse what is not a finite number above a bound, zero if none is given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"{name} must be a number, got {value!r} ({type(value).__name__}); "
            "pass a float."
        )
    if not above < value <= sys.float_info.max:
        raise ValueError(
            f"{name} must be finite and above {above:g}, got {value:.6g}; "
            "pass such a number."
        )


def check_flag(name: str, value: object) -> None:
    """Refuse a switch that is neither True nor False."""
    if not isinstance(value, bool):
        raise TypeError(
            f"{name} must be True or False, got {value!r} ({type(value).__name__}); "
            "pass one of them."
        )


def check_features(name: str, x: object, size: int, *, axis: str = "d_model") -> None:
    """Refuse what is not a float tensor of shape (..., time, d_model)."""
    check_float_tensor(name, x)
    if x.dim() < 2 or x.size(-1) != size:
        raise ValueError(
            f"{name} must have shape (..., time, {axis}={size}), "
            f"got {tuple(x.shape)}; put the features on the last axis."
        )


def check_float_tensor(name: str, x: object) -> None:
    """Refuse what is not a tensor of floating-point numbers."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(x).__name__}; "
            "convert it with torch.tensor(...)."
        )
    if not x.is_floating_point():
        remedy = (
            "take .real or .abs()" if x.is_complex() else "convert it with .float()"
        )
        raise TypeError(
            f"{name} must hold floating-point numbers, got {x.dtype}; {remedy}."
        )


def check_same_kind(**tensors: Tensor) -> None:
    """Refuse tensors that differ in dtype or device from the first one."""
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
    tokens: object, vocab_size: int | None = None, *, name: str = "tokens"
) -> None:
    """Refuse what is not a tensor of token ids from 0 to `vocab_size` - 1."""
    if not isinstance(tokens, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(tokens).__name__}; "
            "convert them with torch.tensor(...)."
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


def check_span(start: object, length: int, max_len: int) -> None:
    """Refuse `length` positions from `start` on that do not fit into `max_len`."""
    check_size("start", start, minimum=0)
    if start + length > max_len:
        raise ValueError(
            f"positions must stay below max_len={max_len}, got {length} positions from "
            f"{start} on; shorten the sequence or enlarge max_len."
        )


def check_parameter_kind(name: str, x: Tensor, parameter: Tensor) -> None:
    """Refuse a tensor that a module's parameters cannot be multiplied with.

    Under autocast PyTorch converts the dtypes itself.
    """
    if x.device != parameter.device:
        raise ValueError(
            f"{name} and the module must be on one device, got {x.device} and "
            f"{parameter.device}; move one with .to(device)."
        )
    if x.is_floating_point() and x.dtype != parameter.dtype and not autocasts(x):
        raise TypeError(
            f"{name} and the module must have one dtype, got {x.dtype} and "
            f"{parameter.dtype}; convert one with .to({parameter.dtype})."
        )


def autocasts(x: Tensor) -> bool:
    """Tell whether PyTorch chooses the dtypes of results itself."""
    device = x.device.type  # the meta device knows no autocast
    available = torch.amp.is_autocast_available(device)
    return available and torch.is_autocast_enabled(device)


def check_kind(name: str, value: object, kind: type | UnionType) -> None:
    """Refuse what is no instance of a class, or of one of several."""
    if not isinstance(value, kind):
        kinds = [k for k in getattr(kind, "__args__", (kind,)) if k is not NoneType]
        raise TypeError(
            f"{name} must be a {' or '.join(k.__name__ for k in kinds)}, got "
            f"{type(value).__name__}; make one and pass it."
        )


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Refuse a name that is not among the known ones."""
    if not isinstance(value, Hashable) or value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}; "
            "choose one of them."
        )


def check_positions(name: str, positions: object) -> None:
    """Refuse what is not a tensor of whole-numbered positions with a time axis."""
    if not isinstance(positions, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(positions).__name__}; "
            "write for example torch.arange(time)."
        )
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
    """Refuse what is not a floating-point type of PyTorch."""
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(
            f"{name} must be a floating-point type, got {dtype!r}; pass one such as "
            "torch.float32."
        )
