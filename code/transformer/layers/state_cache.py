"""A state: all that a layer without softmax keeps of what it has read."""

from collections.abc import Sequence
from math import inf

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from transformer.checks.doors import door, doors, each, optional
from transformer.checks.tensors import can_read, check_float_dtype, check_tokens
from transformer.checks.values import check_size


@doors(
    init=each(dtype=optional(check_float_dtype)),
    select=lambda: check_state_rows,
    truncate=lambda: check_rewound,
)
class StateCache:
    r"""Hold the state of one recurrent layer, whose size no text changes.

    $$S_n = f(S_{n-1},\, x_n)$$

    It takes the place of a `KVCache`. A state is summed up over all positions, so it
    has at least the precision of float32. It cannot go back: what an earlier position
    added is not known any more. `truncate` only empties it, and whoever has guessed
    wrongly reads the text again.

    Source: Katharopoulos et al. (2020), section 3.4: a transformer as a recurrent
    network, and its state.

    Args:
        batch: Number of sequences.
        shapes: Those of the tensors of which the state consists, without the batch.
        dtype: Type of what the layer reads; the default dtype when not given.
        device: Where to hold the state; the default device when not given.

    Raises:
        ValueError: If a size is below 1, a state has other shapes or needs a gradient,
            rows are named that are not held, or it is to go back, but not to the start.
    """

    max_len = inf

    def __init__(
        self,
        batch: int,
        shapes: Sequence[Sequence[int]],
        *,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        dtype = torch.get_default_dtype() if dtype is None else dtype
        kind = {"dtype": torch.promote_types(dtype, torch.float32), "device": device}
        self.state = tuple(torch.zeros(batch, *shape, **kind) for shape in shapes)
        self.length = 0

    def part(self) -> "StateCache":
        """Return a copy that shares the present state and goes on by itself."""
        part = StateCache.__new__(StateCache)
        part.state, part.length = self.state, self.length
        return part

    @property
    def batch(self) -> int:
        """Number of sequences."""
        return self.state[0].size(0)

    @property
    def device(self) -> torch.device:
        """Where the state is."""
        return self.state[0].device

    def __repr__(self) -> str:
        shapes = ", ".join(str(tuple(x.shape)) for x in self.state)
        return f"StateCache({self.length} positions read, {shapes})"

    # A state of another shape would be taken in silence.
    @door(lambda: check_next_state, always=True)
    def update(self, time: int, state: Sequence[Float[Tensor, "batch ..."]]) -> None:
        """Put the state after `time` more positions in the place of the one held."""
        held = zip(state, self.state, strict=True)
        self.state = tuple(x.to(before.dtype) for x, before in held)
        self.length += time

    def select(self, rows: Integer[Tensor, " chosen"]) -> None:
        """Keep, repeat or reorder sequences: row `i` becomes what `rows[i]` was."""
        self.state = tuple(x.index_select(0, rows.long()) for x in self.state)

    def truncate(self, length: int) -> None:
        """Forget everything if `length` is 0; keep it if it is the length held."""
        if length < self.length:
            self.state = tuple(torch.zeros_like(x) for x in self.state)
            self.length = 0


# Checks


def check_next_state(cache: StateCache, time: object, state: Sequence[Tensor]) -> None:
    """Check that a state has the shapes of the one that it replaces."""
    check_size("time", time)
    found, wanted = ([tuple(x.shape) for x in each] for each in (state, cache.state))
    if found != wanted:
        raise ValueError(
            f"the state must have the shapes {wanted}, got {found}; make a cache of "
            "the sizes of this layer and batch."
        )
    if any(x.requires_grad for x in state):
        raise ValueError(
            "the state must not need a gradient, got one that does; a cache is for "
            "inference, so call the model under torch.no_grad()."
        )


def check_state_rows(cache: StateCache, rows: object) -> None:
    """Check that rows are numbers of sequences held."""
    check_chosen(rows, cache.batch)


def check_chosen(rows: object, batch: int) -> None:
    """Check that rows are numbers of some of `batch` sequences."""
    check_tokens(rows, name="rows")
    if rows.dim() != 1 or rows.numel() == 0:
        raise ValueError(
            "rows must have shape (chosen,), with at least one row, got "
            f"{tuple(rows.shape)}; pass one number for each sequence to keep."
        )
    if can_read(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < batch:
        raise ValueError(
            f"rows must lie from 0 to {batch - 1}, got rows from "
            f"{int(rows.min())} to {int(rows.max())}; number them from 0."
        )


def check_rewound(cache: object, length: object) -> None:
    """Check that a state stays as it is or goes back to the start."""
    check_size("length", length, minimum=0)
    if length not in (0, cache.length):
        raise ValueError(
            f"a state can go back to the start only, got length={length} for {cache!r};"
            " truncate to 0 and read the text again."
        )
