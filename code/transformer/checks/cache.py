"""Checks at the doors of caches."""

import torch
from torch import Tensor

from transformer.checks.doors import optional
from transformer.checks.masks import check_real
from transformer.checks.tensors import (
    can_read,
    check_device,
    check_float_dtype,
    check_float_tensor,
    check_same_kind,
    check_tokens,
)
from transformer.checks.values import check_size

SIZES = {
    "batch": check_size,
    "num_kv_heads": check_size,
    "max_len": check_size,
    "d_head": check_size,
    "dtype": optional(check_float_dtype),
    "device": optional(check_device),
}


def check_one_layer(cache) -> None:
    """Check that a cache holds one layer, and not several side by side."""
    if cache.keys.dim() != 4:
        raise ValueError(
            "the cache must be that of one layer, got "
            f"{cache.keys.size(0)} layers in {cache!r}; pass cache.layer(number)."
        )


def check_appended(cache, key: object, value: object) -> None:
    """Check that keys and values fit into the cache as it stands."""
    check_one_layer(cache)
    for name, x in (("key", key), ("value", value)):
        check_float_tensor(name, x)
        check_same_kind(cache=cache.keys, **{name: x})
        check_stored(cache, name, tuple(x.shape))
        check_writable(cache, name, needs_gradient=x.requires_grad)
    if key.size(2) != value.size(2):
        raise ValueError(
            "key and value must hold the same positions, got "
            f"{key.size(2)} and {value.size(2)}; pass them from the same sequence."
        )


def check_stored(cache, name: str, shape: tuple[int, ...]) -> None:
    """Check that keys or values of this shape fit into the cache, with room left."""
    batch, kv_heads, _, d_head = cache.keys.shape[-4:]
    if len(shape) != 4 or (*shape[:2], shape[3]) != (batch, kv_heads, d_head):
        raise ValueError(
            f"{name} must have shape (batch={batch}, num_kv_heads={kv_heads}, "
            f"time, d_head={d_head}), got {shape}; make a cache of the "
            "sizes of this model and batch."
        )
    check_room(cache, shape[2])


def check_room(cache, time: int) -> None:
    """Check that the cache has room for `time` more positions."""
    if cache.length + time > cache.max_len:
        raise ValueError(
            f"the cache must have room for all positions, got {time} more for "
            f"{cache!r}; make a cache with a larger max_len."
        )


def check_writable(cache, name: str, *, needs_gradient: bool) -> None:
    """Check that what is stored needs no gradient, and may be stored where we are."""
    check_mode(cache)
    if needs_gradient:
        raise ValueError(
            f"{name} must not need a gradient, got one that does; a cache is for "
            "inference, so call the model under torch.no_grad()."
        )


def check_mode(cache) -> None:
    """Check that a cache made under inference mode is written under it."""
    if cache.keys.is_inference() and not torch.is_inference_mode_enabled():
        raise ValueError(
            "the cache was made under torch.inference_mode() and must be filled "
            "under it, got a call outside; make the cache where it is used."
        )


def check_rows(cache, rows: object) -> None:
    """Check that rows are numbers of sequences held."""
    cache = getattr(cache, "own", cache)
    check_tokens(rows, name="rows")
    if rows.dim() != 1 or rows.numel() == 0:
        raise ValueError(
            "rows must have shape (chosen,), with at least one row, got "
            f"{tuple(rows.shape)}; pass one number for each sequence to keep."
        )
    if rows.device != cache.keys.device:
        raise ValueError(
            f"rows and the cache must be on one device, got {rows.device} and "
            f"{cache.keys.device}; move the rows with .to(device)."
        )
    batch = cache.keys.size(-4)
    if can_read(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < batch:
        raise ValueError(
            f"rows must lie from 0 to {batch - 1}, got rows from "
            f"{int(rows.min())} to {int(rows.max())}; number them from 0."
        )
    check_mode(cache)


def check_length(cache, length: object) -> None:
    """Check that no more positions are to be kept than are held."""
    check_size("length", length, minimum=0)
    if length > cache.length:
        raise ValueError(
            f"a cache must be truncated to what it holds, got length={length} for "
            f"{cache!r}; pass {cache.length} or less."
        )


def check_remembered(cache, real: object, time: object) -> None:
    """Check that a decoder's cache has room and rows for the positions of a step."""
    check_room(cache.own, time)
    if real is not None and real.size(0) != cache.real.size(0):
        raise ValueError(
            "the cache and the tokens must have one batch size, got "
            f"{cache.real.size(0)} and {real.size(0)}; make a new cache."
        )


def check_noted(cache, real: object, time: object) -> None:
    """Check what a decoder's cache is to note of the positions of a step."""
    check_size("time", time)
    if real is not None and not (isinstance(real, Tensor) and real.dim() == 2):
        came = tuple(real.shape) if isinstance(real, Tensor) else type(real).__name__
        raise TypeError(
            "real must be a Boolean tensor of shape (batch, time), got "
            f"{came}; write for example tokens != pad_id."
        )
    check_remembered(cache, real, time)
    if real is not None:
        check_real("real", real, (cache.real.size(0), time), cache.real.device)
