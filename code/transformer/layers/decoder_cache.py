"""What a stack of decoder layers holds of the positions that were seen before."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.checks.values import check_kind, check_size
from transformer.layers.cache import KVCache


class LayerCache(NamedTuple):
    """What one decoder layer holds: its own keys, and those of the memory."""

    self_attention: KVCache
    cross_attention: KVCache | None = None


class DecoderCache:
    """Hold what a stack of decoder layers needs of the positions seen before.

    Beside the keys and values of each layer it holds which positions are real
    tokens, so that padding in a prompt stays hidden at each later step. The memory of
    an encoder is projected at the first step and then held: a cache belongs to one
    memory, and is not to be used with another.

    Source: Shazeer (2019), section 2.4, for the keys and values; the rest is ours.

    Args:
        layers: The cache of each layer, first layer first; at least one.

    Raises:
        TypeError: If `layers` holds something else than `LayerCache`.
        ValueError: If `layers` is empty, what is to be remembered does not fit, or
            rows or positions are named that are not held.
    """

    def __init__(self, layers: list[LayerCache]) -> None:
        check_kind("layers", layers, list | tuple)
        if not all(
            isinstance(layer, LayerCache)
            and isinstance(layer.self_attention, KVCache)
            and isinstance(layer.cross_attention, KVCache | None)
            for layer in layers
        ):
            raise TypeError(
                "layers must hold one LayerCache for each layer, got "
                f"{[type(layer).__name__ for layer in layers]}; use model.new_cache()."
            )
        if not layers:
            raise ValueError(
                "layers must hold at least one LayerCache, got none; "
                "use model.new_cache()."
            )
        self.layers = tuple(layers)
        self.real = torch.ones(
            layers[0].self_attention.keys.shape[::2],  # (batch, max_len)
            dtype=torch.bool,
            device=layers[0].self_attention.keys.device,
        )
        self.padded = False

    @classmethod
    def empty(
        cls,
        num_layers: int,
        *,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        source: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> "DecoderCache":
        """Return a cache that holds nothing yet; for its sizes see `KVCache`.

        Args:
            num_layers: Number of decoder layers.
            batch: Number of sequences.
            num_kv_heads: Number of key and value heads.
            max_len: Number of positions for which there is room.
            d_head: Number of features of a head.
            source: Number of positions of the memory, with cross-attention.
            dtype: Type of the numbers.
            device: Where to hold them.
        """
        check_size("num_layers", num_layers)

        def room(length: int) -> KVCache:
            sizes = (batch, num_kv_heads, length, d_head)
            return KVCache(*sizes, dtype=dtype, device=device)

        return cls(
            [
                LayerCache(room(max_len), None if source is None else room(source))
                for _ in range(num_layers)
            ]
        )

    @property
    def length(self) -> int:
        """Number of positions held."""
        return self.layers[0].self_attention.length

    @property
    def max_len(self) -> int:
        """Number of positions for which there is room."""
        return self.layers[0].self_attention.max_len

    def __repr__(self) -> str:
        first = self.layers[0].self_attention
        return f"DecoderCache({len(self.layers)} layers of {first!r})"

    def remember(
        self, real: Bool[Tensor, "batch time"] | None, time: int
    ) -> Bool[Tensor, "batch length"] | None:
        """Note which of the next `time` positions are real tokens.

        Returns:
            Which of all positions, old and new, are real: shape (batch, length +
            time); None as long as none was marked as padding.
        """
        self.layers[0].self_attention.check_room(time)
        end = self.length + time
        if real is not None and real.size(0) != self.real.size(0):
            raise ValueError(
                "the cache and the tokens must have one batch size, got "
                f"{self.real.size(0)} and {real.size(0)}; make a new cache."
            )
        self.padded = self.padded or real is not None
        self.real[:, self.length : end] = True if real is None else real
        return self.real[:, :end] if self.padded else None

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder sequences: row `i` becomes what `rows[i]` was."""
        self.layers[0].self_attention.check_rows(rows)
        for layer in self.layers:
            layer.self_attention.take(rows)
            if layer.cross_attention is not None:
                layer.cross_attention.take(rows)
        self.real = self.real.index_select(0, rows.long())

    def truncate(self, length: int) -> None:
        """Forget all positions but the first `length`; the memory stays.

        Speculative decoding asks for it when a guess was wrong.
        """
        for layer in self.layers:
            layer.self_attention.truncate(length)
