"""A cache: the keys and values of positions that were seen before."""

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from transformer.checks.tensors import (
    can_read,
    check_float_tensor,
    check_same_kind,
    check_tokens,
)
from transformer.checks.values import check_float_dtype, check_size


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
        d_head: Number of features of a head.
        dtype: Type of the numbers; the default dtype when not given.
        device: Where to hold them; the default device when not given.

    Raises:
        TypeError: If a size is not an int, or what is added has another dtype.
        ValueError: If a size is below 1, or what is added has another shape, is on
            another device, needs a gradient or does not fit into the room left, or
            rows or positions are named that are not held.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        d_head: int,
        *,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        check_size("batch", batch)
        check_size("num_kv_heads", num_kv_heads)
        check_size("max_len", max_len)
        check_size("d_head", d_head)
        if dtype is not None:
            check_float_dtype("dtype", dtype)
        shape = (batch, num_kv_heads, max_len, d_head)
        self.keys = torch.zeros(shape, dtype=dtype, device=device)
        self.values = torch.zeros(shape, dtype=dtype, device=device)
        self.length = 0

    @property
    def max_len(self) -> int:
        """Number of positions for which there is room."""
        return self.keys.size(2)

    def __repr__(self) -> str:
        batch, kv_heads, max_len, d_head = self.keys.shape
        return (
            f"KVCache({self.length} of {max_len} positions held, batch={batch}, "
            f"num_kv_heads={kv_heads}, d_head={d_head}, {self.keys.dtype}, "
            f"device={self.keys.device})"
        )

    def held(self) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
        """Return views of all keys and values, (batch, kv_heads, length, d_head)."""
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]

    def update(
        self,
        key: Float[Tensor, "batch kv_heads time d_head"],
        value: Float[Tensor, "batch kv_heads time d_head"],
    ) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."]]:
        """Add the keys and values of the next positions; return all that are held."""
        self._check("key", key)
        self._check("value", value)
        if key.size(2) != value.size(2):
            raise ValueError(
                "key and value must hold the same positions, got "
                f"{key.size(2)} and {value.size(2)}; pass them from the same sequence."
            )
        end = self.length + key.size(2)
        self.keys[:, :, self.length : end] = key
        self.values[:, :, self.length : end] = value
        self.length = end
        return self.held()

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder sequences: row `i` becomes what `rows[i]` was.

        Beam search asks for it at each step, when beams die and others split.
        """
        self.check_rows(rows)
        self.take(rows)

    def take(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Do what `select` does, for rows that `check_rows` has let pass."""
        self.keys = self._chosen(self.keys, rows)
        self.values = self._chosen(self.values, rows)

    def truncate(self, length: int) -> None:
        """Forget all positions but the first `length`, as if they never came."""
        check_size("length", length, minimum=0)
        if length > self.length:
            raise ValueError(
                f"a cache must be truncated to what it holds, got length={length} for "
                f"{self!r}; pass {self.length} or less."
            )
        self.length = length

    def check_rows(self, rows: object) -> None:
        """Refuse rows that are not numbers of sequences held."""
        check_tokens(rows, name="rows")
        if rows.dim() != 1 or rows.numel() == 0:
            raise ValueError(
                "rows must have shape (chosen,), with at least one row, got "
                f"{tuple(rows.shape)}; pass one number for each sequence to keep."
            )
        if rows.device != self.keys.device:
            raise ValueError(
                f"rows and the cache must be on one device, got {rows.device} and "
                f"{self.keys.device}; move the rows with .to(device)."
            )
        batch = self.keys.size(0)
        if can_read(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < batch:
            raise ValueError(
                f"rows must lie from 0 to {batch - 1}, got rows from "
                f"{int(rows.min())} to {int(rows.max())}; number them from 0."
            )
        self._check_mode()

    def _chosen(self, store: Tensor, rows: Tensor) -> Tensor:
        """Return a store with the chosen rows; what is not held is not copied."""
        held = store[:, :, : self.length].index_select(0, rows.long())
        if rows.numel() != store.size(0):
            store = store.new_zeros((rows.numel(), *store.shape[1:]))
        store[:, :, : self.length] = held
        return store

    def check_room(self, time: int) -> None:
        """Refuse more positions than there is room for."""
        if self.length + time > self.max_len:
            raise ValueError(
                f"the cache must have room for all positions, got {time} more for "
                f"{self!r}; make a cache with a larger max_len."
            )

    def _check(self, name: str, x: object) -> None:
        """Refuse what does not fit into the cache as it stands."""
        check_float_tensor(name, x)
        check_same_kind(cache=self.keys, **{name: x})
        batch, kv_heads, _, d_head = self.keys.shape
        if x.dim() != 4 or (*x.shape[:2], x.size(3)) != (batch, kv_heads, d_head):
            raise ValueError(
                f"{name} must have shape (batch={batch}, num_kv_heads={kv_heads}, "
                f"time, d_head={d_head}), got {tuple(x.shape)}; make a cache of the "
                "sizes of this model and batch."
            )
        self.check_room(x.size(2))
        self._check_mode()
        if x.requires_grad:
            raise ValueError(
                f"{name} must not need a gradient, got one that does; a cache is for "
                "inference, so call the model under torch.no_grad()."
            )

    def _check_mode(self) -> None:
        """Refuse to write outside inference mode what was made under it."""
        if self.keys.is_inference() and not torch.is_inference_mode_enabled():
            raise ValueError(
                "the cache was made under torch.inference_mode() and must be filled "
                "under it, got a call outside; make the cache where it is used."
            )
