"""Checks at the doors of multi-head attention."""

from torch import Tensor, nn

from transformer.checks.attention import (
    check_allowed,
    check_broadcast,
    check_sequences,
)
from transformer.checks.cache import check_one_layer
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
    attention: nn.Module,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    mask: object | None,
    bias: object | None,
    cache: object | None,
) -> None:
    """Check that attention can take these sequences, with this cache and mask."""
    held = 0 if cache is None else cache.length
    if cache is not None:
        check_one_layer(cache)
    _check_sources(query, key, value, cache, rotated=attention.rotary is not None)
    source = held if key is None else held + key.size(1)
    if source == 0:
        raise ValueError(
            "key must hold at least one position, got none; pass a longer sequence."
        )
    check_allowed(mask, bias)
    scores = (query.size(0), attention.num_heads, query.size(1), source)
    for name, given in (("mask", mask), ("bias", bias)):
        if given is not None:
            check_broadcast(name, given, scores)


def _check_sources(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    cache: object | None,
    *,
    rotated: bool,
) -> None:
    """Check that sequences fit together, and that there is something to attend to."""
    sequences = {"query": query}
    if key is not None or value is not None:
        sequences |= {"key": key, "value": value}
    elif cache is None or cache.length == 0:
        raise ValueError(
            "key and value must be given unless a cache holds some, got neither; pass "
            "them, or a cache that was filled before."
        )
    check_sequences(**sequences)
    if cache is not None and cache.keys.size(0) != query.size(0):
        raise ValueError(
            "query and cache must have one batch size, got "
            f"{query.size(0)} and {cache.keys.size(0)}; make a new cache."
        )
    if key is None:
        return
    if key.size(1) != value.size(1):
        raise ValueError(
            "key and value must have the same number of source positions, got "
            f"{key.size(1)} and {value.size(1)}; pass them from the same sequence."
        )
    if rotated and key.size(1) != query.size(1):
        raise ValueError(
            "rotated queries and keys must have the same positions, got "
            f"{query.size(1)} queries and {key.size(1)} keys; pass one sequence, or "
            "build attention without rotary."
        )
