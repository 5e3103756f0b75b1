"""Checks at the public doors: what must hold, what came, what to do.

Each function returns nothing when all is well. It raises a `TypeError` when a value is
of the wrong kind and a `ValueError` when it is of the right kind but does not fit.
"""

import torch
from torch import Tensor

INTEGER_DTYPES = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def check_size(name: str, value: object, *, minimum: int = 1) -> None:
    """Refuse a size that is not a whole number of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, int):
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


def check_dropout(dropout: object) -> None:
    """Refuse a dropout probability outside [0, 1)."""
    if isinstance(dropout, bool) or not isinstance(dropout, int | float):
        raise TypeError(
            f"dropout must be a probability, got {dropout!r} "
            f"({type(dropout).__name__}); pass a number such as 0.1."
        )
    if not 0 <= dropout < 1:
        raise ValueError(
            f"dropout must be at least 0 and below 1, got {dropout}; "
            "pass the share of values to drop, such as 0.1."
        )


def check_positive(name: str, value: object) -> None:
    """Refuse a number that is not finite and above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"{name} must be a number, got {value!r} ({type(value).__name__}); "
            "pass a float."
        )
    if not 0 < value < float("inf"):
        raise ValueError(
            f"{name} must be finite and above zero, got {value}; pass such a number."
        )


def check_features(name: str, x: object, d_model: int) -> None:
    """Refuse what is not a float tensor of shape (..., time, d_model)."""
    check_float_tensor(name, x)
    if x.dim() < 2 or x.size(-1) != d_model:
        raise ValueError(
            f"{name} must have shape (..., time, d_model={d_model}), "
            f"got {tuple(x.shape)}; put the features on the last axis."
        )


def check_sequence(name: str, x: object, d_model: int) -> None:
    """Refuse what is not a float tensor of shape (batch, time, d_model)."""
    check_float_tensor(name, x)
    if x.dim() != 3 or x.size(-1) != d_model:
        raise ValueError(
            f"{name} must have shape (batch, time, d_model={d_model}), got "
            f"{tuple(x.shape)}; add a batch axis with .unsqueeze(0) if it lacks one."
        )


def check_float_tensor(name: str, x: object) -> None:
    """Refuse what is not a tensor of floating-point numbers."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(x).__name__}; "
            "convert it with torch.tensor(...)."
        )
    if not x.is_floating_point():
        raise TypeError(
            f"{name} must hold floating-point numbers, got {x.dtype}; "
            "convert it with .float()."
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


def check_tokens(tokens: object, vocab_size: int | None = None) -> None:
    """Refuse what is not a tensor of token ids from 0 to `vocab_size` - 1."""
    if not isinstance(tokens, Tensor):
        raise TypeError(
            f"tokens must be a torch.Tensor, got {type(tokens).__name__}; "
            "convert them with torch.tensor(...)."
        )
    if tokens.dtype not in INTEGER_DTYPES:
        raise TypeError(
            f"tokens must be integer ids, got {tokens.dtype}; convert with .long()."
        )
    if vocab_size is None or tokens.numel() == 0 or torch.compiler.is_compiling():
        return
    low, high = int(tokens.min()), int(tokens.max())
    if low < 0 or high >= vocab_size:
        raise ValueError(
            f"token ids must lie from 0 to {vocab_size - 1}, got ids from {low} to "
            f"{high}; check the tokenizer or enlarge vocab_size={vocab_size}."
        )


def check_span(start: object, length: int, max_len: int) -> None:
    """Refuse positions `start` to `start + length - 1` that reach `max_len`."""
    check_size("start", start, minimum=0)
    if start + length > max_len:
        raise ValueError(
            f"positions must stay below max_len={max_len}, got positions {start} to "
            f"{start + length - 1}; shorten the sequence or enlarge max_len."
        )


def check_attention(
    query: object,
    key: object,
    value: object,
    mask: object | None,
    bias: object | None,
) -> None:
    """Refuse tensors that do not fit together in scaled dot-product attention."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_float_tensor(name, tensor)
        if tensor.dim() < 2:
            raise ValueError(
                f"{name} must have at least the axes (time, d_head), got shape "
                f"{tuple(tensor.shape)}; add the missing axis with .unsqueeze."
            )
    check_same_kind(query=query, key=key, value=value)
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        raise ValueError(
            "query, key and value must share their leading axes, got "
            f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}; "
            "expand the smaller one."
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            "query and key must have the same d_head, got "
            f"{query.size(-1)} and {key.size(-1)}; project both to one size."
        )
    if key.size(-2) != value.size(-2):
        raise ValueError(
            "key and value must have the same number of source positions, got "
            f"{key.size(-2)} and {value.size(-2)}; pass them from the same sequence."
        )
    if key.size(-2) == 0 or query.size(-1) == 0:
        raise ValueError(
            "key must hold at least one position with at least one feature, got "
            f"shape {tuple(key.shape)}; pass a longer sequence."
        )
    scores = (*query.shape[:-1], key.size(-2))
    if mask is not None:
        check_mask(mask, scores, query)
    if bias is not None:
        check_float_tensor("bias", bias)
        check_same_kind(query=query, bias=bias)
        check_broadcast("bias", bias, scores)


def check_mask(mask: object, scores: tuple[int, ...], query: Tensor) -> None:
    """Refuse a mask that is not Boolean or does not fit the scores."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        came = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(
            "mask must be a Boolean tensor in which True means may attend, got "
            f"{came}; write for example tokens != pad_id, and pass numbers as bias."
        )
    if mask.device != query.device:
        raise ValueError(
            f"query and mask must be on one device, got {query.device} and "
            f"{mask.device}; move one with .to(device)."
        )
    check_broadcast("mask", mask, scores)


def check_scores_rank(**tensors: Tensor | None) -> None:
    """Refuse masks and biases whose axes could be taken for batch or heads."""
    for name, tensor in tensors.items():
        if isinstance(tensor, Tensor) and tensor.dim() not in (2, 4):
            raise ValueError(
                f"{name} must have the axes (target, source) or (batch, heads, target, "
                f"source), got shape {tuple(tensor.shape)}; for one mask a sequence "
                "write mask[:, None]."
            )


def check_broadcast(name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a tensor that does not broadcast to `shape` as it stands."""
    sizes = zip(reversed(x.shape), reversed(shape), strict=False)
    if x.dim() > len(shape) or any(came not in (1, want) for came, want in sizes):
        raise ValueError(
            f"{name} must broadcast to the scores of shape {tuple(shape)}, got "
            f"{tuple(x.shape)}; rows are queries, columns are keys."
        )
