"""Checks at the doors of multi-head attention."""

import torch
from torch import Tensor, nn

from transformer.checks.attention import (
    check_bias,
    check_inputs,
    check_mask,
    check_scores_rank,
)
from transformer.checks.cache import check_one_layer, check_stored, check_writable
from transformer.checks.tensors import autocasts, check_same_kind, kept_as
from transformer.checks.values import (
    check_divisible,
    check_dropout,
    check_flag,
    check_kind,
    check_positive,
    check_size,
)


def check_multi_head(
    rotary_kind: type,
    keys_kind: type,
    d_model: object,
    num_heads: object,
    num_kv_heads: object,
    d_head: object,
    bias: object,
    scale: object,
    rotary: object,
    relative_keys: object,
    dropout: object,
) -> None:
    """Check the settings of multi-head attention."""
    check_size("d_model", d_model)
    check_size("num_heads", num_heads)
    num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
    check_size("num_kv_heads", num_kv_heads)
    check_divisible("num_heads", num_heads, "num_kv_heads", num_kv_heads)
    if d_head is None:
        check_divisible("d_model", d_model, "num_heads", num_heads)
        d_head = d_model // num_heads
    check_size("d_head", d_head)
    if scale is not None:
        check_positive("scale", scale)
    check_kind("rotary", rotary, rotary_kind | None)
    check_kind("relative_keys", relative_keys, keys_kind | None)
    _check_positions_fit(d_head, rotary, relative_keys)
    check_dropout("dropout", dropout)
    check_flag("bias", bias)


def _check_positions_fit(
    d_head: int, rotary: nn.Module | None, relative_keys: nn.Module | None
) -> None:
    """Check that positions were made for heads of this size."""
    sizes = {}
    if rotary is not None:
        sizes["rotary"] = rotary.d_head
    if relative_keys is not None:
        sizes["relative_keys"] = relative_keys.embedding.embedding_dim
    for name, size in sizes.items():
        if size != d_head:
            raise ValueError(
                f"{name} must be made for heads of d_head={d_head}, got {size}; make "
                "it with the d_head of the attention."
            )


def check_attending(
    cache_kind: type,
    attention: nn.Module,
    query: object,
    key: object | None,
    value: object | None,
    mask: object | None,
    bias: object | None,
    cache: object | None,
    need_weights: object,
) -> None:
    """Check that attention can take these sequences, with this cache and mask."""
    check_kind("cache", cache, cache_kind | None)
    check_flag("need_weights", need_weights)
    held = None
    if cache is not None:
        check_one_layer(cache)
        held = cache.held()[0]
    reader = attention.query_projection
    _check_sources(query, key, value, held, reader, attention.rotary is not None)
    source = cache.length if key is None else key.size(1)
    if key is not None and cache is not None:
        source += cache.length
    check_scores(mask, bias, query, attention.num_heads, source)
    if key is not None and cache is not None:
        check_cached(attention, cache, key, value)


def check_cached(
    attention: nn.Module, cache: object, key: Tensor, value: Tensor
) -> None:
    """Check that the projections of keys and values fit into a cache."""
    for name, x, projection in (
        ("key", key, attention.key_projection),
        ("value", value, attention.value_projection),
    ):
        device = x.device.type
        dtype = torch.get_autocast_dtype(device) if autocasts(x) else x.dtype
        check_same_kind(cache=cache.keys, **{name: x.new_empty(0, dtype=dtype)})
        heads = attention.num_kv_heads
        d_head = projection.out_features // heads
        check_stored(cache, name, (x.size(0), heads, x.size(1), d_head))
        learns = x.requires_grad or kept_as(projection).requires_grad
        check_writable(cache, name, needs_gradient=learns and torch.is_grad_enabled())


def _check_sources(
    query: object,
    key: object | None,
    value: object | None,
    held: Tensor | None,
    reader: nn.Module,
    rotated: bool,
) -> None:
    """Check that sequences fit together, a cache and the map that reads them."""
    sequences = {"query": query}
    if key is not None or value is not None:
        sequences |= {"key": key, "value": value}
    elif held is None or held.size(2) == 0:
        raise ValueError(
            "key and value must be given unless a cache holds some, got neither; pass "
            "them, or a cache that was filled before."
        )
    check_inputs(reader, **sequences)
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
    """Check that mask and bias fit the scores (batch, heads, target, source)."""
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
