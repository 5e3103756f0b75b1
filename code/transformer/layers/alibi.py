"""Linear biases: the score of a key falls with its distance, faster in some heads."""

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import check_float_dtype
from transformer.layers.distances import check_two_rows, relative_distances


def alibi_slopes(
    num_heads: int, *, device: torch.device | str | None = None
) -> Float[Tensor, " heads"]:
    r"""Return how fast the bias of each head falls with the distance.

    $$m_h = 2^{-8h/H}, \qquad h = 1, \dots, H$$

    for $H$ heads, a power of two. Otherwise the first heads have the slopes of the
    largest power of two below, $P$, and the others every other slope of $2P$ heads:
    $2^{-4/P}, 2^{-12/P}, \dots$

    Source: Press et al. (2022), section 3; other numbers of heads: the released code.

    Args:
        num_heads: Number of attention heads $H$, at least 1.
        device: Where to make them; the default device when not given.

    Returns:
        Slopes in units of score per position, float64, shape (num_heads,).
    """
    power = 2 ** (num_heads.bit_length() - 1)  # the largest that is not above
    exponents = [8 * (h + 1) / power for h in range(power)]
    between = [8 * (h + 0.5) / power for h in range(num_heads - power)]
    found = torch.tensor(exponents + between, dtype=torch.float64, device=device)
    return 2.0**-found


@door(lambda: check_alibi)
def alibi_bias(
    num_heads: int,
    query_positions: Integer[Tensor, " target"],
    key_positions: Integer[Tensor, " source"],
    *,
    dtype: torch.dtype | None = None,
) -> Float[Tensor, "1 heads target source"]:
    r"""Return a bias on the scores that falls linearly with the distance.

    $$B_{h,t,s} = -m_h\, |t - s|$$

    Source: Press et al. (2022), section 3, figure 3. The paper defines it for keys that
    precede the query; the absolute value extends it to both directions.

    Args:
        num_heads: Number of attention heads, at least 1.
        query_positions: Positions of the queries.
        key_positions: Positions of the keys.
        dtype: Type of the result; the default dtype when not given.

    Returns:
        Bias of each query (row) towards each key (column), rounded once.
    """
    distances = relative_distances(query_positions, key_positions).abs()
    dtype = torch.get_default_dtype() if dtype is None else dtype
    slopes = alibi_slopes(num_heads, device="cpu")
    slopes = slopes.to(torch.promote_types(dtype, torch.float32))
    slopes = slopes.to(distances.device, non_blocking=True)[:, None, None]
    return (-slopes * distances).to(dtype)[None]  # (1, heads, target, source)


# Checks


def check_alibi(query_positions: object, key_positions: object, dtype: object) -> None:
    """Check the arguments of `alibi_bias`."""
    check_two_rows(query_positions, key_positions)
    if dtype is not None:
        check_float_dtype("dtype", dtype)
