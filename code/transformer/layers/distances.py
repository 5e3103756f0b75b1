"""Distances between positions, signed or sorted into buckets."""

import torch
from jaxtyping import Integer
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import check_positions
from transformer.checks.values import check_size


@door(lambda: check_two_rows)
def relative_distances(
    query_positions: Integer[Tensor, " target"],
    key_positions: Integer[Tensor, " source"],
) -> Integer[Tensor, "target source"]:
    r"""Return the signed distance $s - t$ from each query $t$ to each key $s$.

    Source: Shaw et al. (2018), section 3.2.

    Args:
        query_positions: Positions of the queries $t$.
        key_positions: Positions of the keys $s$.

    Returns:
        Distances, int64, negative for keys that stand before the query.
    """
    return key_positions.long() - query_positions.long()[:, None]


@door(lambda: check_sorted)
def relative_buckets(
    distances: Integer[Tensor, "*shape"],
    *,
    num_buckets: int,
    max_distance: int,
    bidirectional: bool,
) -> Integer[Tensor, "*shape"]:
    r"""Sort signed distances into buckets that get wider with the distance.

    $$\mathrm{bucket}(n) = \begin{cases} n & n < m \\
    \min(N - 1,\; m + \lfloor k \rfloor) & n \ge m \end{cases} \qquad
    k = (N - m)\,\frac{\ln(n/m)}{\ln(M/m)}, \qquad
    m = \lfloor N/2 \rfloor$$

    for $N$ buckets and a distance of $n$ positions back. If both directions count, each
    has half of the buckets, and those of later keys come last; if not, later keys share
    bucket 0 with the query itself.

    Source: Raffel et al. (2020), section 2.1; the formula is that of the released code,
    which takes the logarithm in float32. Here the borders are exact: integers alone
    decide, with the same result but for borders that float32 misses by a hair.

    Args:
        distances: Key position minus query position.
        num_buckets: Number of buckets, even and at least 4 if bidirectional, else at
            least 2.
        max_distance: Distance $M$ from which on all share the last bucket.
        bidirectional: Whether keys after the query have buckets of their own.

    Returns:
        Bucket numbers from 0 to `num_buckets` - 1, int64.

    Raises:
        ValueError: If there are too few buckets, an odd number for two directions, or
            `max_distance` does not exceed the buckets of width one.
    """
    one_way = num_buckets // 2 if bidirectional else num_buckets
    starts = torch.tensor(bucket_starts(one_way, max_distance), device=distances.device)
    distances = distances.long()
    if not bidirectional:
        return torch.bucketize(-distances, starts, right=True)
    bucket = torch.bucketize(distances.abs(), starts, right=True)
    return bucket + one_way * (distances > 0)


def bucket_starts(num_buckets: int, max_distance: int) -> list[int]:
    """Return the smallest distance in each bucket but the first."""
    exact = num_buckets // 2
    wide = num_buckets - exact
    starts = list(range(1, exact + 1))
    for k in range(1, wide):
        start = int(exact * (max_distance / exact) ** (k / wide))
        # start / exact >= (max_distance / exact) ** (k / wide), without a rounding
        while start**wide * exact**k < max_distance**k * exact**wide:
            start += 1
        starts.append(start)
    return starts


# Checks


def check_two_rows(query_positions: object, key_positions: object) -> None:
    """Check that both are rows of positions."""
    for name, positions in (
        ("query_positions", query_positions),
        ("key_positions", key_positions),
    ):
        check_positions(name, positions)
        if positions.dim() != 1:
            raise ValueError(
                f"{name} must have shape (time,), got {tuple(positions.shape)}; "
                "all sequences of a batch share them."
            )


def check_sorted(
    distances: object, num_buckets: object, max_distance: object, bidirectional: object
) -> None:
    """Check the arguments of `relative_buckets`."""
    check_positions("distances", distances)
    check_buckets(num_buckets, max_distance, bidirectional)


def check_buckets(
    num_buckets: object, max_distance: object, bidirectional: object
) -> None:
    """Check that numbers of buckets and distances fit together."""
    check_size("num_buckets", num_buckets, minimum=4 if bidirectional else 2)
    if bidirectional and num_buckets % 2:
        raise ValueError(
            f"num_buckets must be even for two directions, got {num_buckets}; choose "
            f"{num_buckets - 1} or {num_buckets + 1}."
        )
    exact = num_buckets // 4 if bidirectional else num_buckets // 2
    check_size("max_distance", max_distance, minimum=exact + 1)
