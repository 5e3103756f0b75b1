"""A cache: the keys and values of positions that were seen before."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.checks.doors import door, doors, each, optional
from transformer.checks.tensors import check_float_dtype, check_same_kind
from transformer.checks.values import check_size
from transformer.layers.masks import check_real
from transformer.layers.state_cache import StateCache, check_chosen, check_rewound


@doors(
    init=each(dtype=optional(check_float_dtype)),
    select=lambda: check_rows,
    truncate=lambda: check_length,
)
class KVCache:
    r"""Hold the keys and values of one attention layer, for up to `max_len` positions.

    $$K_{0:n+m} = \mathrm{Concat}(K_{0:n},\, K_{n:n+m}), \qquad
    V_{0:n+m} = \mathrm{Concat}(V_{0:n},\, V_{n:n+m})$$

    A causal layer never changes the keys and values of earlier positions, so each is
    computed once. The memory is taken at the start and filled from the front: nothing
    is copied when a position is added.

    Source: Shazeer (2019), section 2.4, where the decoder takes its previous keys and
    values as input at each step.

    Args:
        batch: Number of sequences.
        num_kv_heads: Number of key and value heads.
        max_len: Number of positions for which there is room.
        d_head: Number of features of a key.
        d_value: Number of features of a value; `d_head` when not given.
        num_layers: Number of layers whose keys and values are held together, with
            one length; `layer` gives the part of one of them. One layer, without an
            axis for it, when not given.
        dtype: Type of the numbers; the default dtype when not given.
        device: Where to hold them; the default device when not given.

    Raises:
        ValueError: If a size is below 1, or what is added has another shape, is on
            another device, needs a gradient or does not fit into the room left, if
            it is added to several layers at once, or rows or positions are named that
            are not held.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        *,
        d_value: int | None = None,
        num_layers: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        layers = () if num_layers is None else (num_layers,)
        shape = (*layers, batch, num_kv_heads, max_len)
        d_value = d_head if d_value is None else d_value
        self.keys, self.values = (
            torch.zeros((*shape, size), dtype=dtype, device=device)
            for size in (d_head, d_value)
        )
        self.length = 0

    def layer(self, number: int) -> "KVCache":
        """Return the part of one layer, which stores into the whole.

        Its length is a copy: what the layers of a step have added counts as held when
        the length of the whole is set.
        """
        part = object.__new__(type(self))
        part.keys, part.values = self.keys[number], self.values[number]
        part.length = self.length
        return part

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return self.keys.size(-4)

    @property
    def max_len(self) -> int:
        """Number of positions for which there is room."""
        return self.keys.size(-2)

    def __repr__(self) -> str:
        batch, kv_heads, max_len, d_head = self.keys.shape[-4:]
        return (
            f"KVCache({self.length} of {max_len} positions held, batch={batch}, "
            f"num_kv_heads={kv_heads}, d_head={d_head}, {self.keys.dtype}, "
            f"device={self.keys.device})"
        )

    def held(self) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
        """Return views of all keys and values, (batch, kv_heads, length, d_head)."""
        return self.keys[..., : self.length, :], self.values[..., : self.length, :]

    # A store would cast or repeat in silence.
    @door(lambda: check_appended, always=True)
    def update(
        self,
        key: Float[Tensor, "batch kv_heads time d_head"],
        value: Float[Tensor, "batch kv_heads time d_value"],
    ) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
        """Add the keys and values of the next positions; return all that are held."""
        end = self.length + key.size(2)
        self.keys[:, :, self.length : end] = key
        self.values[:, :, self.length : end] = value
        self.length = end
        return self.held()

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder sequences: row `i` becomes what `rows[i]` was.

        Beam search asks for it at each step, when beams die and others split.
        """
        self.keys = self._chosen(self.keys, rows)
        self.values = self._chosen(self.values, rows)

    def truncate(self, length: int) -> None:
        """Forget all positions but the first `length`, as if they never came."""
        self.length = length

    def _chosen(self, store: Tensor, rows: Tensor) -> Tensor:
        """Return a store with the chosen rows; what is not held is not copied."""
        held = store[..., : self.length, :].index_select(-4, rows.long())
        if rows.numel() != store.size(-4):
            shape = (*store.shape[:-4], rows.numel(), *store.shape[-3:])
            store = store.new_zeros(shape)
        store[..., : self.length, :] = held
        return store


class LayerCache(NamedTuple):
    """What one decoder layer holds: its own keys or state, and keys of the memory."""

    self_attention: KVCache | StateCache
    cross_attention: KVCache | None = None


@doors(
    init=each(dtype=optional(check_float_dtype)),
    remember=lambda: check_noted,
    select=lambda: check_rows,
    truncate=lambda: check_length,
)
class DecoderCache:
    """Hold what a stack of decoder layers needs of the positions seen before.

    Beside the keys and values of all layers it holds which positions are real tokens,
    so that padding in a prompt stays hidden at each later step. The memory of an
    encoder is projected at the first step and then held: a cache belongs to one
    memory, and is not to be used with another.

    A layer without softmax has a state in the place of keys and values, and writes it
    into its part as well.

    All layers have one length. A step asks `remember` for its mask, lets each layer
    write into its part, `cache[number]`, and then calls `advance`. A step that fails
    in between leaves the cache as it was.

    Source: Shazeer (2019), section 2.4, for the keys and values; the rest is ours.

    Args:
        num_layers: Number of decoder layers.
        batch: Number of sequences.
        num_kv_heads: Number of key and value heads.
        max_len: Number of positions for which there is room.
        d_head: Number of features of a key.
        d_value: Number of features of a value; `d_head` when not given.
        source: Number of positions of the memory, with cross-attention.
        states: Of layers that keep a state, by their number, its shapes; see
            `StateCache`.
        dtype: Type of the numbers; the default dtype when not given.
        device: Where to hold them; the default device when not given.

    Raises:
        ValueError: If a size is below 1, what is to be remembered does not fit, rows or
            positions are named that are not held, or a state is to go back, but not to
            the start.
    """

    def __init__(
        self,
        num_layers: int,
        *,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        d_value: int | None = None,
        source: int | None = None,
        states: Mapping[int, Sequence[Sequence[int]]] | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        kind = {"dtype": dtype, "device": device}

        def room(layers: int, length: int) -> KVCache:
            sizes = (batch, num_kv_heads, length, d_head)
            return KVCache(*sizes, d_value=d_value, num_layers=layers, **kind)

        shapes = states or {}
        self.states = {n: StateCache(batch, shapes[n], **kind) for n in shapes}
        self.stepped: dict[int, StateCache] = {}  # written by a step that has not ended
        attending = [n for n in range(num_layers) if n not in shapes]
        self.own = room(len(attending), max_len)
        # Where the keys and values of each layer are, or None of one with a state.
        places = {number: place for place, number in enumerate(attending)}
        self.places = [places.get(number) for number in range(num_layers)]
        self.memory = None if source is None else room(num_layers, source)
        self.real = torch.ones((batch, max_len), dtype=torch.bool, device=device)
        self.padded = False

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, number: int) -> LayerCache:
        place = self.places[number]
        memory = None if self.memory is None else self.memory.layer(number)
        if place is None:
            self.stepped[number] = self.states[number].part()
            return LayerCache(self.stepped[number], memory)
        return LayerCache(self.own.layer(place), memory)

    @property
    def length(self) -> int:
        """Number of positions held."""
        return self.own.length

    @property
    def max_len(self) -> int:
        """Number of positions for which there is room."""
        return self.own.max_len

    def __repr__(self) -> str:
        stateful = f", {len(self.states)} with a state" if self.states else ""
        return f"DecoderCache({len(self)} layers of {self.own!r}{stateful})"

    def remember(
        self, real: Bool[Tensor, "batch time"] | None, time: int
    ) -> Bool[Tensor, "batch length"] | None:
        """Note which of the next `time` positions are real tokens.

        Returns:
            Which of all positions, old and new, are real: shape (batch, length +
            time); None as long as none was marked as padding.
        """
        end = self.length + time
        self.padded = self.padded or real is not None
        self.real[:, self.length : end] = True if real is None else real
        return self.real[:, :end] if self.padded else None

    def advance(self, time: int, source: int = 0) -> None:
        """Count the positions of a step, and of its memory, as held."""
        self.own.length += time
        self.states |= self.stepped
        self.stepped = {}
        if self.memory is not None and source:
            self.memory.length = source

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder sequences: row `i` becomes what `rows[i]` was."""
        for part in (self.own, *self.states.values()):
            part.select(rows)
        if self.memory is not None:
            self.memory.select(rows)
        self.real = self.real.index_select(0, rows.long())

    def truncate(self, length: int) -> None:
        """Forget all positions but the first `length`; the memory stays.

        Speculative decoding asks for it when a guess was wrong. Where a layer keeps a
        state, `length` is 0 or the length held.
        """
        for part in (self.own, *self.states.values()):
            part.truncate(length)


# Checks


def check_appended(cache: KVCache, key: Tensor, value: Tensor) -> None:
    """Check that keys and values fit into the cache as it stands."""
    check_one_layer(cache)
    for name, x, store in (("key", key, cache.keys), ("value", value, cache.values)):
        batch, kv_heads, _, d_head = store.shape
        check_same_kind(cache=store, **{name: x})
        if x.dim() != 4 or (*x.shape[:2], x.size(3)) != (batch, kv_heads, d_head):
            raise ValueError(
                f"{name} must have shape (batch={batch}, num_kv_heads={kv_heads}, "
                f"time, d_head={d_head}), got {tuple(x.shape)}; make a cache of the "
                "sizes of this model and batch."
            )
        if x.requires_grad:
            raise ValueError(
                f"{name} must not need a gradient, got one that does; a cache is for "
                "inference, so call the model under torch.no_grad()."
            )
    if key.size(2) != value.size(2):
        raise ValueError(
            "key and value must hold the same positions, got "
            f"{key.size(2)} and {value.size(2)}; pass them from the same sequence."
        )
    check_room(cache, key.size(2))


def check_one_layer(cache: KVCache | StateCache) -> None:
    """Check that a cache holds one layer, and not several side by side."""
    if isinstance(cache, KVCache) and cache.keys.dim() != 4:
        raise ValueError(
            "the cache must be that of one layer, got "
            f"{cache.keys.size(0)} layers in {cache!r}; pass cache.layer(number)."
        )


def check_room(cache: KVCache, time: int) -> None:
    """Check that the cache has room for `time` more positions."""
    if cache.length + time > cache.max_len:
        raise ValueError(
            f"the cache must have room for all positions, got {time} more for "
            f"{cache!r}; make a cache with a larger max_len."
        )


def check_rows(cache: KVCache | DecoderCache, rows: object) -> None:
    """Check that rows are numbers of sequences held."""
    cache = getattr(cache, "own", cache)
    check_chosen(rows, cache.batch)


def check_length(cache: KVCache | DecoderCache, length: object) -> None:
    """Check that no more positions are to be kept than are held."""
    check_size("length", length, minimum=0)
    if length > cache.length:
        raise ValueError(
            f"a cache must be truncated to what it holds, got length={length} for "
            f"{cache!r}; pass {cache.length} or less."
        )
    if getattr(cache, "states", None):
        check_rewound(cache, length)


def check_noted(cache: DecoderCache, real: object, time: object) -> None:
    """Check what a decoder's cache is to note of the positions of a step."""
    check_size("time", time)
    check_room(cache.own, time)
    if real is not None:
        check_real("real", real, (cache.real.size(0), time), cache.real.device)


def check_remembered(cache: DecoderCache, real: Tensor | None, time: int) -> None:
    """Check that a decoder's cache has room and rows for the positions of a step."""
    check_room(cache.own, time)
    if real is not None and real.size(0) != cache.real.size(0):
        raise ValueError(
            "the cache and the tokens must have one batch size, got "
            f"{cache.real.size(0)} and {real.size(0)}; make a new cache."
        )
