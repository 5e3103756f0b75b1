"""A mixer: what may stand in the place of self-attention, with a state for a cache."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.tensors import can_read
from transformer.layers.attention import (
    AttentionOutput,
    check_allowed,
    check_broadcast,
    check_sequences,
)
from transformer.layers.masks import causal_mask
from transformer.layers.positions import Positions
from transformer.layers.state_cache import StateCache

State = Sequence[Float[Tensor, "batch ..."]]


@doors(forward=lambda: check_mixing)
class RecurrentMixer(nn.Module):
    r"""Mix positions of one sequence by a state that is handed on from left to right.

    $$(S_n,\, y_n) = f(S_{n-1},\, x_n)$$

    It is called as `MultiHeadAttention` is within a decoder layer. What differs: no
    position ever sees a later one, padding is the only other thing that can be hidden,
    a bias of the scores has nothing to act on, and there are no weights to return.

    Source: Katharopoulos et al. (2020), section 3.4.

    Shape:
        query, key, value: one and the same tensor, (batch, time, d_model).
        mask: broadcasts to (batch, heads, time, cached + time); its last row tells
        which positions are real.
        values: (batch, time, d_model).

    Raises:
        ValueError: If shapes do not fit, queries and keys are not of one sequence, or a
            mask hides or shows something else.
    """

    state_shapes: tuple[tuple[int, ...], ...]

    def forward(
        self,
        query: Float[Tensor, "batch time d_model"],
        key: Float[Tensor, "batch time d_model"],
        value: Float[Tensor, "batch time d_model"],
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        cache: StateCache | None = None,
        is_causal: bool = False,
        positions: Positions | None = None,
    ) -> AttentionOutput:
        """Return what each position gathers from itself and all before it."""
        batch, time, _ = query.shape
        real = None if mask is None else last_row(mask)[:, -time:].expand(batch, time)
        state = None if cache is None else cache.state
        values, state = self.mix(query, real, state)
        if cache is not None:
            cache.update(time, state)
        return AttentionOutput(values, None)

    def mix(
        self,
        x: Float[Tensor, "batch time d_model"],
        real: Bool[Tensor, "batch time"] | None,
        state: State | None,
    ) -> tuple[Float[Tensor, "batch time d_model"], State]:
        """Return what becomes of `x` after a state, and the state after it.

        Padding, where `real` is False, leaves the state as it is.
        """
        raise NotImplementedError


def widened(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return numbers of at least single precision, in which a state is summed up."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def full_precision(device: torch.device) -> AbstractContextManager:
    """Return a context in which products keep the precision of their factors."""
    if torch.amp.is_autocast_available(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()


def last_row(mask: Bool[Tensor, "... source"]) -> Bool[Tensor, "rows source"]:
    """Return what the last query sees: in a causal mask all that is real."""
    return mask[-1:] if mask.dim() == 2 else mask[:, 0, -1]


# Checks


def check_mixing(
    query: Tensor,
    key: object,
    value: object,
    mask: object | None,
    cache: object | None,
    is_causal: bool,
) -> None:
    """Check that a mixer can take a sequence, with this cache and mask."""
    check_sequences(query=query)
    if key is not query or value is not query:
        raise ValueError(
            "query, key and value must be one tensor, got others; a mixer with a state "
            "reads one sequence, and takes the place of self-attention only."
        )
    if cache is not None and cache.batch != query.size(0):
        raise ValueError(
            f"query and cache must have one batch size, got {query.size(0)} and "
            f"{cache.batch}; make a new cache."
        )
    check_allowed(mask, None)
    time, held = query.size(1), 0 if cache is None else cache.length
    if mask is not None:
        check_broadcast("mask", mask, (query.size(0), 1, time, held + time))
    check_hides_future(mask, time, held + time, is_causal=is_causal)


def check_hides_future(
    mask: Tensor | None, time: int, source: int, *, is_causal: bool
) -> None:
    """Check that later positions and padding are hidden, and nothing else."""
    if time == 1:
        return
    if mask is None:
        other = not is_causal
    else:
        wanted = last_row(mask)[:, None, None]  # (rows, 1, 1, source)
        if not is_causal:
            wanted = wanted & causal_mask(time, source, device=mask.device)
        other = can_read(mask) and bool(torch.any(mask != wanted))
    if other:
        raise ValueError(
            "a mixer with a state must hide later positions and padding, and nothing "
            "else, got another mask; pass is_causal=True, and the mask of real tokens "
            "with shape (batch, 1, 1, source)."
        )
