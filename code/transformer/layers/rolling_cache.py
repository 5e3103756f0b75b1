"""A cache that forgets: what no window shows any more makes room for what is new."""

from collections.abc import Iterable, Sequence
from functools import partial

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from transformer.checks.doors import door, doors, each, optional
from transformer.checks.tensors import check_float_dtype
from transformer.checks.values import check_size
from transformer.layers.cache import (
    DecoderCache,
    KVCache,
    LayerCache,
    check_appended,
    check_length,
    check_rows,
)


@doors(init=lambda: check_rolling, truncate=lambda: check_kept)
class RollingKVCache(KVCache):
    r"""Hold the keys and values of the first and of the last positions of one layer.

    $$\mathrm{place}(t) = \begin{cases} t & t < k \\
    k + (t - k) \bmod r & t \ge k \end{cases}$$

    for $k$ first tokens that stay and a circle of $r$ places, at least as many as the
    window is wide. A new position takes the place of the one $r$ before it, which no
    later query sees; so decoding with it equals decoding with `window_mask`.

    Source: Jiang et al. (2023, "Mistral 7B"), section 2, "rolling buffer cache"; first
    tokens that stay: Xiao et al. (2024), section 3.2.

    Args:
        batch: Number of sequences.
        num_kv_heads: Number of key and value heads.
        max_len: Number of positions that a text may have; what is held is less.
        d_head: Number of features of a head.
        window: Number of positions that a query sees, itself counted.
        sink_tokens: Number of first tokens that stay.
        spare: Number of positions that can be truncated at any time; for speculative
            decoding, which takes guesses back.
        dtype: Type of the numbers; the default dtype when not given.
        device: Where to hold them; the default device when not given.

    Raises:
        ValueError: As for `KVCache`, and if truncation asks for what was overwritten.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        *,
        window: int,
        sink_tokens: int = 0,
        spare: int = 0,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        places = min(max_len, sink_tokens + window + spare)
        super().__init__(
            batch, num_kv_heads, places, d_head, dtype=dtype, device=device
        )
        self.window, self.sink_tokens, self.limit = window, sink_tokens, max_len
        self.newest = 0  # how many positions were ever written

    @property
    def max_len(self) -> int:
        """Number of positions that a text may have."""
        return self.limit

    @property
    def places(self) -> int:
        """Number of positions that are held at most."""
        return self.keys.size(-2)

    @property
    def circle(self) -> int:
        """Number of places that are written again and again."""
        return max(1, self.places - self.sink_tokens)

    def held(self) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
        """Return what the next query may see of all keys and values, in order."""
        kept = self._kept()
        return self.keys.index_select(-2, kept), self.values.index_select(-2, kept)

    # A store would cast or repeat in silence.
    @door(lambda: check_rolled, always=True)
    def update(
        self,
        key: Float[Tensor, "batch kv_heads time d_head"],
        value: Float[Tensor, "batch kv_heads time d_value"],
    ) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
        """Add the next positions; return, in order, all that one of them may see.

        The first tokens come first, then a row of positions without a gap.
        """
        end = self.length + key.size(2)
        if end <= self.places:  # the places are still the positions
            self._write(key, value, self.length, end)
            return self.keys[:, :, :end], self.values[:, :, :end]
        keys, values = self.held()
        found = torch.cat((keys, key), dim=2), torch.cat((values, value), dim=2)
        self._write(key, value, self.length, end)
        return found

    def truncate(self, length: int) -> None:
        """Forget all positions but the first `length`, as if they never came."""
        self.length = length

    def _kept(self) -> Integer[Tensor, " kept"]:
        """Return the places of what the next query may see, in the order of the text.

        That query sees itself, so one position less than the window is wide.
        """
        first = max(self.sink_tokens, self.length - self.window + 1)
        device = self.keys.device
        sinks = torch.arange(min(self.sink_tokens, self.length), device=device)
        recent = torch.arange(min(first, self.length), self.length, device=device)
        return torch.cat((sinks, self._place(recent)))

    def _place(self, positions: Integer[Tensor, " time"]) -> Integer[Tensor, " time"]:
        """Return where positions stand."""
        turned = self.sink_tokens + (positions - self.sink_tokens) % self.circle
        return torch.where(positions < self.sink_tokens, positions, turned)

    def _write(self, key: Tensor, value: Tensor, start: int, end: int) -> None:
        """Put new positions where they stand, but for those that others overwrite."""
        device, first = key.device, max(start, self.sink_tokens, end - self.circle)
        sinks = torch.arange(
            start, max(start, min(end, self.sink_tokens)), device=device
        )
        recent = torch.arange(min(first, end), end, device=device)
        positions = torch.cat((sinks, recent))
        places, chosen = self._place(positions), positions - start
        self.keys.index_copy_(2, places, key.index_select(2, chosen))
        self.values.index_copy_(2, places, value.index_select(2, chosen))
        self.length, self.newest = end, max(self.newest, end)

    def _chosen(self, store: Tensor, rows: Tensor) -> Tensor:
        """Return a store with the chosen rows; all places may be held."""
        return store.index_select(-4, rows.long())


class LayerCaches(KVCache):
    """The caches of layers that do not hold the same positions, with one length.

    It is to a `RollingDecoderCache` what a `KVCache` with `num_layers` is to a
    `DecoderCache`: what the layers of a step have added counts as held when the length
    of the whole is set.

    Args:
        parts: The cache of each layer, all for texts of one length.
    """

    def __init__(self, parts: Iterable[KVCache]) -> None:
        self.parts = list(parts)  # and no store of its own
        self.length = 0

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return (
            f"LayerCaches({self.length} of {self.max_len} positions read, "
            f"{', '.join(str(part.keys.size(-2)) for part in self.parts)} places)"
        )

    @property
    def keys(self) -> Float[Tensor, "batch kv_heads places d_head"]:
        """The keys of the first layer, which tell batch, dtype and device of all."""
        return self.parts[0].keys

    @property
    def max_len(self) -> int:
        """Number of positions that a text may have."""
        return self.parts[0].max_len

    def layer(self, number: int) -> KVCache:
        """Return the cache of one layer, at the length of the whole."""
        part = self.parts[number]
        part.length = self.length
        return part

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder sequences: row `i` becomes what `rows[i]` was."""
        for number in range(len(self)):
            self.layer(number).select(rows)

    def truncate(self, length: int) -> None:
        """Forget all positions but the first `length`, as if they never came."""
        for number in range(len(self)):
            self.layer(number).truncate(length)
        self.length = length


@doors(
    init=lambda: check_rolling_decoder,
    select=lambda: check_rows,
    truncate=lambda: check_kept_by_all,
)
class RollingDecoderCache(DecoderCache):
    """Hold what a stack of decoder layers needs, of which some have a window.

    A layer with a window has a `RollingKVCache`, any other a `KVCache`.

    Source: as for `RollingKVCache`; layers with and without a window in turn: Gemma
    Team (2025), section 2.1.

    Args:
        windows: The window of each layer, None for one that sees everything.
        batch: Number of sequences.
        num_kv_heads: Number of key and value heads.
        max_len: Number of positions that a text may have.
        d_head: Number of features of a head.
        sink_tokens: Number of first tokens that every window keeps in sight.
        spare: Number of positions that can be truncated at any time.
        dtype: Type of the numbers; the default dtype when not given.
        device: Where to hold them; the default device when not given.

    Raises:
        ValueError: If a size is too small, there is no layer, or as for the caches.
    """

    def __init__(
        self,
        windows: Sequence[int | None],
        *,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        sink_tokens: int = 0,
        spare: int = 0,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        sizes, kind = (batch, num_kv_heads, max_len, d_head), {"dtype": dtype}
        kind["device"] = device
        stays = {"sink_tokens": sink_tokens, "spare": spare}
        self.own = LayerCaches(
            KVCache(*sizes, **kind)
            if window is None
            else RollingKVCache(*sizes, window=window, **stays, **kind)
            for window in windows
        )
        self.places, self.states, self.stepped = [*range(len(windows))], {}, {}
        self.memory = None
        self.real = torch.ones((batch, max_len), dtype=torch.bool, device=device)
        self.padded = False

    def __getitem__(self, number: int) -> LayerCache:
        if not 0 <= number < len(self):  # which ends a loop over the layers
            raise IndexError(f"there are {len(self)} layers, got number {number}")
        return super().__getitem__(number)


# Checks

not_negative = partial(check_size, minimum=0)
ROLLING = {"sink_tokens": not_negative, "spare": not_negative}
ROLLING["dtype"] = optional(check_float_dtype)
check_rolling = each(**ROLLING, window=check_size)
check_rolled_sizes = each(**ROLLING)


def check_rolling_decoder(
    windows: object, sink_tokens: object, spare: object, dtype: object
) -> None:
    """Check the sizes of the caches of a stack, and that there is a layer."""
    check_rolled_sizes(sink_tokens, spare, dtype)
    if not isinstance(windows, Sequence) or len(windows) == 0:
        raise ValueError(
            f"windows must name that of each layer, got {windows!r}; pass a list, with "
            "None for a layer that sees everything."
        )
    for window in windows:
        optional(check_size)("window", window)


def check_rolled(cache: RollingKVCache, key: Tensor, value: Tensor) -> None:
    """Check that keys and values fit into the cache, and that nothing was lost."""
    check_appended(cache, key, value)
    check_reach(cache, cache.length)


def check_kept(cache: RollingKVCache, length: object) -> None:
    """Check that a cache still holds what the positions after `length` may see."""
    check_length(cache, length)
    check_reach(cache, length)


def check_kept_by_all(cache: RollingDecoderCache, length: object) -> None:
    """Check that each layer still holds what the positions after `length` may see."""
    check_length(cache, length)
    for part in cache.own.parts:
        if isinstance(part, RollingKVCache):
            check_reach(part, length)


def check_reach(cache: RollingKVCache, length: int) -> None:
    """Check that no position was overwritten that the window still shows."""
    first = max(cache.sink_tokens, length - cache.window + 1)
    if length > cache.sink_tokens and first < cache.newest - cache.circle:
        raise ValueError(
            f"a rolling cache must still hold position {first} to go on from "
            f"{length}, got {cache.newest} positions written in a circle of "
            f"{cache.circle}; make a cache with a larger spare, or read the text again."
        )
