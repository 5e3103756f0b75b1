"""Relative positions: scores that depend on how far a key is from the query."""

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from transformer.checks.doors import doors, each
from transformer.checks.tensors import check_float_dtype
from transformer.checks.values import check_size
from transformer.layers.distances import (
    check_buckets,
    check_two_rows,
    relative_buckets,
    relative_distances,
)


@doors(init=lambda: check_bias_settings, forward=lambda: check_biased)
class RelativePositionBias(nn.Module):
    r"""Learn a bias on the scores for each head and each bucket of distances.

    $$B_{h,t,s} = E_{\mathrm{bucket}(s - t),\,h}, \qquad
    E \in \mathbb{R}^{N \times \mathrm{heads}}$$

    Source: Raffel et al. (2020), section 2.1. The entries start from
    $\mathcal{N}(0, 0.02^2)$, which is ours. From `max_distance` on all distances share
    a bucket, so that a bias is looked up for each clipped distance, then spread.

    Args:
        num_heads: Number of attention heads, at least 1.
        num_buckets: See `relative_buckets`.
        max_distance: See `relative_buckets`.
        bidirectional: Whether keys after the query have buckets of their own, which a
            causal decoder does not need.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
    ) -> None:
        super().__init__()
        self.max_distance = max_distance
        # No buffer: the meta device would forget it.
        with torch.device("cpu"):
            self.buckets = relative_buckets(
                torch.arange(-max_distance, max_distance + 1),
                num_buckets=num_buckets,
                max_distance=max_distance,
                bidirectional=bidirectional,
            )
        self.embedding = nn.Embedding(num_buckets, num_heads)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(
        self,
        query_positions: Integer[Tensor, " target"],
        key_positions: Integer[Tensor, " source"],
        *,
        dtype: torch.dtype | None = None,
    ) -> Float[Tensor, "1 heads target source"]:
        """Return the bias of each query (row) towards each key (column).

        Its type is `dtype`, or that of the parameters when not given.
        """
        distances = relative_distances(query_positions, key_positions)
        clipped = distances.clamp(-self.max_distance, self.max_distance)
        buckets = self.buckets.to(distances.device, non_blocking=True)
        bias = self.embedding(buckets).T  # (heads, 2 * max_distance + 1)
        bias = bias.index_select(1, (clipped + self.max_distance).flatten())
        bias = bias.view(1, bias.size(0), *distances.shape)
        return bias.to(dtype=dtype)  # (1, heads, target, source)


@doors(
    init=each(d_head=check_size, max_distance=check_size), forward=lambda: check_scored
)
class RelativeKeys(nn.Module):
    r"""Score each query with a learned vector of its distance to the key.

    $$S_{t,s} = \mathbf{q}_t \cdot A_{\mathrm{clip}(s - t,\,-K,\,K)}, \qquad
    A \in \mathbb{R}^{(2K + 1) \times d_{\mathrm{head}}}$$

    The scores are to be added to $\mathbf{q}_t \cdot \mathbf{k}_s$ before scaling.

    Source: Shaw et al. (2018), section 3.1, equation (4), and section 3.2 for clipping.
    All heads share the vectors. The term for the values, equation (3), is left out.
    Where section 3.3 multiplies each query with the vectors of all keys, we multiply it
    with each of the $2K + 1$ vectors once and pick, which costs less for long texts.
    The entries start from $\mathcal{N}(0, 0.02^2)$, which is ours.

    Args:
        d_head: Number of features of a head, at least 1.
        max_distance: Distance $K$ from which on all share a vector, at least 1.

    Shape:
        query: (batch, heads, target, d_head); the result is (batch, heads, target,
        source).
    """

    def __init__(self, d_head: int, *, max_distance: int) -> None:
        super().__init__()
        self.max_distance = max_distance
        self.embedding = nn.Embedding(2 * max_distance + 1, d_head)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(
        self,
        query: Float[Tensor, "*batch target d_head"],
        query_positions: Integer[Tensor, " target"],
        key_positions: Integer[Tensor, " source"],
    ) -> Float[Tensor, "*batch target source"]:
        """Return the unscaled scores of the queries with the distances."""
        distances = relative_distances(query_positions, key_positions)
        clipped = distances.clamp(-self.max_distance, self.max_distance)
        scores = query @ self.embedding.weight.T  # (..., target, 2 * max_distance + 1)
        picks = (clipped + self.max_distance).expand(*query.shape[:-2], -1, -1)
        return scores.gather(-1, picks)  # (..., target, source)


# Checks


def check_bias_settings(
    num_heads: object, num_buckets: object, max_distance: object, bidirectional: object
) -> None:
    """Check the settings of a relative position bias."""
    check_size("num_heads", num_heads)
    check_buckets(num_buckets, max_distance, bidirectional)


def check_biased(query_positions: object, key_positions: object, dtype: object) -> None:
    """Check that a bias can be looked up for these positions."""
    check_two_rows(query_positions, key_positions)
    if dtype is not None:
        check_float_dtype("dtype", dtype)


def check_scored(query: Tensor, query_positions: object, key_positions: object) -> None:
    """Check that queries fit the vectors of distances and their positions."""
    check_two_rows(query_positions, key_positions)
    if query.size(-2) != query_positions.size(0):
        raise ValueError(
            "query_positions must hold a position for each query, got "
            f"{query_positions.size(0)} for {query.size(-2)} queries; slice them alike."
        )
