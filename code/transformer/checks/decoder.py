"""Checks at the doors of the decoder: what must hold, what came, what to do.

All is checked before the first layer runs, so that a refused call leaves the cache of
each layer as it was.
"""

from torch import Tensor

from transformer.checks.attention import check_mask


def check_memory(memory: object | None, *, wanted: bool, held: bool) -> None:
    """Refuse a memory that nobody reads, and none where one is wanted."""
    if memory is not None and not wanted:
        raise ValueError(
            "a layer without cross-attention takes no memory, got one; leave it out, "
            "or build the layer with cross_attention=True."
        )
    if memory is None and wanted and not held:
        raise ValueError(
            "a layer with cross-attention must have a memory, got none; pass what the "
            "encoder returns."
        )


def check_memory_mask(
    memory_mask: object | None, x: Tensor, num_heads: int, source: int, *, wanted: bool
) -> None:
    """Refuse a mask of a memory that nobody reads, or that does not fit it."""
    if memory_mask is None:
        return
    if not wanted:
        raise ValueError(
            "a layer without cross-attention takes no memory_mask, got one; leave it "
            "out, or build the layer with cross_attention=True."
        )
    check_mask(memory_mask, (x.size(0), num_heads, x.size(1), source), x)


def check_memory_cache(memory: Tensor | None, held: Tensor, max_len: int) -> None:
    """Refuse a memory that a cache has no room for, or that it was not filled from."""
    length = held.size(2)
    if memory is None:
        return
    if length and memory.size(1) != length:
        raise ValueError(
            f"the cache was filled from a memory of {length} positions, got one of "
            f"{memory.size(1)}; make a new cache for another memory."
        )
    if memory.size(1) > max_len:
        raise ValueError(
            f"the cache has room for a memory of {max_len} positions, got one of "
            f"{memory.size(1)}; make a cache for this memory."
        )


def check_cache_batch(x: Tensor, held: Tensor) -> None:
    """Refuse a cache that was made for another number of sequences."""
    if held.size(0) != x.size(0):
        raise ValueError(
            f"x and the cache must have one batch size, got {x.size(0)} and "
            f"{held.size(0)}; make a new cache."
        )
