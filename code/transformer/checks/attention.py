"""Checks at the doors of attention: what must hold, what came, what to do.

Each function returns nothing when all is well. It raises a `TypeError` when a value is
of the wrong kind and a `ValueError` when it is of the right kind but does not fit.
"""

import torch
from torch import Tensor

from transformer.checks.tensors import (
    can_read,
    check_float_tensor,
    check_parameter_kind,
    check_same_kind,
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
    check_shapes(query, key, value)
    scores = (*query.shape[:-1], key.size(-2))
    if mask is not None:
        check_mask(mask, scores, query)
    if bias is not None:
        check_bias(bias, scores, query)


def check_shapes(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Refuse sizes that do not fit together."""
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


def check_sequences(d_model: int, **sequences: object) -> None:
    """Refuse what are not float tensors (batch, time, d_model) of one batch size."""
    for name, x in sequences.items():
        check_float_tensor(name, x)
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ValueError(
                f"{name} must have shape (batch, time, d_model={d_model}), got "
                f"{tuple(x.shape)}; add a missing batch axis with .unsqueeze(0)."
            )
    first, *others = (x.size(0) for x in sequences.values())
    if any(size != first for size in others):
        shapes = ", ".join(f"{name} {tuple(x.shape)}" for name, x in sequences.items())
        raise ValueError(
            f"all sequences must have one batch size, got {shapes}; expand the smaller."
        )


def check_inputs(weight: Tensor, **sequences: object) -> None:
    """Refuse sequences that do not fit together or the weight that reads them."""
    check_sequences(weight.size(1), **sequences)
    for name, x in sequences.items():
        check_parameter_kind(name, x, weight)


def check_sources(
    query: object,
    key: object | None,
    value: object | None,
    held: Tensor | None,
    weight: Tensor,
    *,
    rotated: bool,
) -> None:
    """Refuse sequences that do not fit together, a cache or a module's weight."""
    sequences = {"query": query}
    if key is not None or value is not None:
        sequences |= {"key": key, "value": value}
    elif held is None or held.size(2) == 0:
        raise ValueError(
            "key and value must be given unless a cache holds some, got neither; pass "
            "them, or a cache that was filled before."
        )
    check_inputs(weight, **sequences)
    if key is None:
        if held.size(0) != query.size(0):
            raise ValueError(
                "query and cache must have one batch size, got "
                f"{query.size(0)} and {held.size(0)}; make a new cache."
            )
    elif key.size(1) != value.size(1):
        raise ValueError(
            "key and value must have the same number of source positions, got "
            f"{key.size(1)} and {value.size(1)}; pass them from the same sequence."
        )
    elif rotated and key.size(1) != query.size(1):
        raise ValueError(
            "rotated queries and keys must have the same positions, got "
            f"{query.size(1)} queries and {key.size(1)} keys; pass one sequence, or "
            "build attention without rotary."
        )


def check_scores(
    mask: object | None,
    bias: object | None,
    query: Tensor,
    num_heads: int,
    source: int,
) -> None:
    """Refuse what does not fit the scores (batch, heads, target, source)."""
    if source == 0:
        raise ValueError(
            "key must hold at least one position, got none; pass a longer sequence."
        )
    check_scores_rank(mask=mask, bias=bias)
    scores = (query.size(0), num_heads, query.size(1), source)
    if mask is not None:
        check_mask(mask, scores, query)
    if bias is not None:
        check_bias(bias, scores, query)


def check_bias(bias: object, scores: tuple[int, ...], query: Tensor) -> None:
    """Refuse a bias that is not finite or does not fit the scores."""
    check_float_tensor("bias", bias)
    check_same_kind(query=query, bias=bias)
    check_broadcast("bias", bias, scores)
    if not can_read(bias) or bool(bias.sum().isfinite()):
        return  # a sum is finite only if its terms are, and is found much faster
    if not bool(bias.isfinite().all()):
        raise ValueError(
            "bias must be finite, got infinite numbers or NaN; to forbid a key, pass a "
            "mask that is False there."
        )


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
