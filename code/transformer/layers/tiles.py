"""Attention tile by tile: softmax without ever holding a row of scores."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.values import check_size
from transformer.layers.attention import check_attention


class Partial(NamedTuple):
    """What is known of a softmax after some of the keys: enough to go on."""

    maximum: Float[Tensor, "*batch target 1"]  # the largest score so far
    total: Float[Tensor, "*batch target 1"]  # the sum of exp(score - maximum)
    mix: Float[Tensor, "*batch target d_value"]  # the values, weighted by the same


def partial_attention(
    query: Float[Tensor, "*batch target d_head"],
    key: Float[Tensor, "*batch source d_head"],
    value: Float[Tensor, "*batch source d_value"],
    *,
    scale: float,
    mask: Bool[Tensor, "..."] | None = None,
) -> Partial:
    r"""Attend to the keys of one tile, without dividing at the end.

    $$m = \max_s S_s, \qquad \ell = \sum_s e^{S_s - m}, \qquad
    \mathbf{o} = \sum_s e^{S_s - m}\, \mathbf{v}_s$$

    over the keys that the mask shows. Of a tile that shows none, $m = -\infty$ and both
    sums are zero. Half precisions are computed in float32.

    Source: Rabe and Staats (2021), section 3.

    Args:
        query: One row for each position that asks.
        key: The keys of the tile.
        value: One row for each key.
        scale: Factor on the scores.
        mask: True where a query may attend to a key; broadcasts to the scores.
    """
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = (query.to(wide) * scale) @ key.to(wide).transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    maximum = scores.amax(dim=-1, keepdim=True)  # (*batch, target, 1)
    numbers = (scores - finite(maximum)).exp()  # (*batch, target, source)
    return Partial(maximum, numbers.sum(dim=-1, keepdim=True), numbers @ value.to(wide))


def merge(one: Partial, other: Partial) -> Partial:
    r"""Join what is known after some keys with what is known after others.

    $$m = \max(m_1, m_2), \qquad \ell = e^{m_1 - m} \ell_1 + e^{m_2 - m} \ell_2, \qquad
    \mathbf{o} = e^{m_1 - m} \mathbf{o}_1 + e^{m_2 - m} \mathbf{o}_2$$

    The order of the two does not matter, nor that of several merges.

    Source: Milakov and Gimelshein (2018), section 3.1, for maximum and sum; Rabe and
    Staats (2021), section 3, for the mix.
    """
    maximum = torch.maximum(one.maximum, other.maximum)
    shrink = [(part.maximum - finite(maximum)).exp() for part in (one, other)]
    total = shrink[0] * one.total + shrink[1] * other.total
    mix = shrink[0] * one.mix + shrink[1] * other.mix
    return Partial(maximum, total, mix)


def finish(partial: Partial) -> Float[Tensor, "*batch target d_value"]:
    """Divide the mix by the sum; a query that has seen no key gets zeros."""
    seen = partial.total > 0
    return torch.where(seen, partial.mix / partial.total.where(seen, 1.0), 0.0)


@door(lambda: check_tiles)
def tiled_attention(
    query: Float[Tensor, "*batch target d_head"],
    key: Float[Tensor, "*batch source d_head"],
    value: Float[Tensor, "*batch source d_value"],
    *,
    tile: int = 128,
    mask: Bool[Tensor, "..."] | None = None,
    is_causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
) -> Float[Tensor, "*batch target d_value"]:
    r"""Compute attention from tiles of queries and keys, each score once.

    $$\mathrm{Partial}_{j} = \mathrm{merge}\big(\mathrm{Partial}_{j-1},\;
    \mathrm{Attend}(Q_i, K_j, V_j)\big), \qquad O_i = \mathbf{o} / \ell$$

    The equation is that of `scaled_dot_product_attention`, to which the result is equal
    but for rounding. No tensor of $m \times n$ numbers is made on the way forth: at any
    time there is one tile of scores. Causal and window masks are made tile by tile, and
    a tile that they hide is left out. As in `window_mask` the last query stands at the
    last key. On the way back PyTorch needs the tiles again and keeps them: their
    numbers are computed anew by a kernel only, for which see `fused_attention`.

    Source: Dao et al. (2022), section 3.1, algorithm 1; the queries outside and the
    keys inside, with one division at the end: Dao (2024), section 3.1.

    Args:
        query: One row for each position that asks.
        key: One row for each position that is looked at.
        value: One row for each key.
        tile: Number of queries, and of keys, of a tile.
        mask: True where a query may attend to a key; broadcasts to (*batch, target,
            source). A mask over the keys alone is the size of a row.
        is_causal: Whether no query sees a later key.
        window: Number of positions that a query sees, itself counted; then no later
            key is seen either.
        scale: Factor on the scores; the inverse root of `d_head` when not given.
    """
    scale = query.size(-1) ** -0.5 if scale is None else scale
    target, source = query.size(-2), key.size(-2)
    rows = []
    for start in range(0, target, tile):
        asked = query[..., start : start + tile, :]
        place = source - target + start  # of the first of these queries
        first, end = sight(place, asked.size(-2), source, is_causal, window)
        partial = nothing(asked, value)
        for column in range(first - first % tile, end, tile):
            keys = slice(column, min(column + tile, source))
            seen = tile_mask(place, asked.size(-2), keys, is_causal, window, key.device)
            if mask is not None:
                own = part_of(mask, slice(start, start + tile), keys)
                seen = own if seen is None else seen & own
            found = partial_attention(
                asked, key[..., keys, :], value[..., keys, :], scale=scale, mask=seen
            )
            partial = merge(partial, found)
        rows.append(finish(partial).to(value.dtype))
    return torch.cat(rows, dim=-2)


def nothing(query: Tensor, value: Tensor) -> Partial:
    """Return what is known before the first key."""
    wide = torch.promote_types(query.dtype, torch.float32)
    empty = query.new_zeros(*query.shape[:-1], 1, dtype=wide)
    mix = query.new_zeros(*query.shape[:-1], value.size(-1), dtype=wide)
    return Partial(empty - torch.inf, empty, mix)


def finite(maximum: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return a maximum to subtract; that of no score at all is no number to do so."""
    return maximum.masked_fill(maximum == -torch.inf, 0.0)


def sight(
    place: int, queries: int, source: int, is_causal: bool, window: int | None
) -> tuple[int, int]:
    """Return from which key on, and up to which, some queries see anything."""
    first = 0 if window is None else max(0, place - window + 1)
    hides_later = is_causal or window is not None
    return first, min(source, place + queries) if hides_later else source


def tile_mask(
    place: int,
    queries: int,
    keys: slice,
    is_causal: bool,
    window: int | None,
    device: torch.device,
) -> Bool[Tensor, "queries keys"] | None:
    """Return which keys of a tile its queries see; None if they see them all."""
    if not is_causal and window is None:
        return None
    inside = window is None or keys.start > place + queries - 1 - window
    if keys.stop <= place + 1 and inside:
        return None
    asked = torch.arange(place, place + queries, device=device)[:, None]
    looked = torch.arange(keys.start, keys.stop, device=device)
    seen = looked <= asked
    return seen if window is None else seen & (looked > asked - window)


def part_of(mask: Tensor, queries: slice, keys: slice) -> Tensor:
    """Return the part of a mask that belongs to a tile; an axis of one serves all."""
    mask = torch.atleast_2d(mask)
    rows = queries if mask.size(-2) > 1 else slice(None)
    return mask[..., rows, keys if mask.size(-1) > 1 else slice(None)]


# Checks


def check_tiles(
    query: object,
    key: object,
    value: object,
    tile: object,
    mask: object | None,
    is_causal: object,
    window: object | None,
    scale: object | None,
) -> None:
    """Check the arguments of `tiled_attention`."""
    check_attention(query, key, value, mask, None, scale, 0.0)
    if window is not None:
        check_size("window", window)
    hides_later = is_causal or window is not None
    if hides_later and key.size(-2) < query.size(-2):
        raise ValueError(
            "there must be a key for each query if none sees a later one, got "
            f"{query.size(-2)} queries and {key.size(-2)} keys; pass all keys."
        )
