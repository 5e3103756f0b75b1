"""Checks at the doors of attention: what must hold, what came, what to do."""

import torch
from torch import Tensor

from transformer.checks.tensors import (
    can_read,
    check_float_tensor,
    check_same_kind,
)
from transformer.checks.values import (
    check_divisible,
    check_dropout,
    check_flag,
    check_positive,
)


def check_attention(
    query: object,
    key: object,
    value: object,
    mask: object | None,
    bias: object | None,
    scale: object | None,
    dropout: object,
    need_weights: object,
) -> None:
    """Check the arguments of `scaled_dot_product_attention`."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_float_tensor(name, tensor)
        if tensor.dim() < 2:
            raise ValueError(
                f"{name} must have at least the axes (time, d_head), got shape "
                f"{tuple(tensor.shape)}; add the missing axis with .unsqueeze."
            )
    check_same_kind(query=query, key=key, value=value)
    check_shapes(query, key, value)
    scores = (*query.shape[:-1], key.size(-2))
    if mask is not None:
        check_mask(mask, scores, query)
    if bias is not None:
        check_bias(bias, scores, query)
    check_dropout("dropout", dropout)
    check_flag("need_weights", need_weights)
    if scale is not None:
        check_positive("scale", scale)


def check_split(x: Tensor, num_heads: int) -> None:
    """Check that features can be cut into heads."""
    check_divisible("features", x.size(-1), "num_heads", num_heads)


def check_shared(x: Tensor, num_heads: int) -> None:
    """Check that each head can have one of `x`."""
    check_divisible("num_heads", num_heads, "num_kv_heads", x.size(1))


def check_shapes(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Check that sizes fit together."""
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


def check_sequences(**sequences: Tensor) -> None:
    """Check that sequences have the axes (batch, time, d_model) and one batch size."""
    for name, x in sequences.items():
        if x.dim() != 3:
            raise ValueError(
                f"{name} must have shape (batch, time, d_model), got {tuple(x.shape)}; "
                "add a missing batch axis with .unsqueeze(0)."
            )
    sizes = {x.size(0) for x in sequences.values()}
    if len(sizes) > 1:
        found = ", ".join(f"{x.size(0)} of {name}" for name, x in sequences.items())
        raise ValueError(
            f"all sequences must have one batch size, got {found}; expand the smaller."
        )


def check_allowed(mask: object | None, bias: object | None) -> None:
    """Check that a mask is Boolean and a bias finite, and what their axes mean."""
    for name, given in (("mask", mask), ("bias", bias)):
        if isinstance(given, Tensor) and given.dim() not in (2, 4):
            raise ValueError(
                f"{name} must have the axes (target, source) or (batch, heads, target, "
                f"source), got shape {tuple(given.shape)}; for one mask a sequence "
                "write mask[:, None]."
            )
    if mask is not None:
        check_boolean(mask)
    if bias is not None:
        check_finite_bias(bias)


def check_bias(bias: object, scores: tuple[int, ...], query: Tensor) -> None:
    """Check that a bias is finite and fits the scores."""
    check_float_tensor("bias", bias)
    check_same_kind(query=query, bias=bias)
    check_broadcast("bias", bias, scores)
    check_finite_bias(bias)


def check_finite_bias(bias: Tensor) -> None:
    """Check that a bias holds finite numbers."""
    if not can_read(bias) or bool(bias.sum().isfinite()):
        return  # a sum is finite only if its terms are, and is found much faster
    if not bool(bias.isfinite().all()):
        raise ValueError(
            "bias must be finite, got infinite numbers or NaN; to forbid a key, pass a "
            "mask that is False there."
        )


def check_mask(mask: object, scores: tuple[int, ...], query: Tensor) -> None:
    """Check that a mask is Boolean and fits the scores."""
    check_boolean(mask)
    if mask.device != query.device:
        raise ValueError(
            f"query and mask must be on one device, got {query.device} and "
            f"{mask.device}; move one with .to(device)."
        )
    check_broadcast("mask", mask, scores)


def check_boolean(mask: object) -> None:
    """Check that a mask says True or False."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        came = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(
            "mask must be a Boolean tensor in which True means may attend, got "
            f"{came}; write for example tokens != pad_id, and pass numbers as bias."
        )


def check_broadcast(name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Check that a tensor broadcasts to `shape` as it stands."""
    sizes = zip(reversed(x.shape), reversed(shape), strict=False)
    if x.dim() > len(shape) or any(came not in (1, want) for came, want in sizes):
        raise ValueError(
            f"{name} must broadcast to the scores of shape {tuple(shape)}, got "
            f"{tuple(x.shape)}; rows are queries, columns are keys."
        )
