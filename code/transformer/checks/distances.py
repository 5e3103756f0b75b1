"""Checks at the doors of relative positions: distances, buckets and biases."""

from torch import Tensor, nn

from transformer.checks.tensors import (
    check_features,
    check_float_dtype,
    check_positions,
)
from transformer.checks.values import check_flag, check_size


def check_two_rows(query_positions: object, key_positions: object) -> None:
    """Check that both are rows of positions, on one device."""
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
    if query_positions.device != key_positions.device:
        raise ValueError(
            "query_positions and key_positions must be on one device, got "
            f"{query_positions.device} and {key_positions.device}; move one with "
            ".to(device)."
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
    check_flag("bidirectional", bidirectional)
    check_size("num_buckets", num_buckets, minimum=4 if bidirectional else 2)
    if bidirectional and num_buckets % 2:
        raise ValueError(
            f"num_buckets must be even for two directions, got {num_buckets}; choose "
            f"{num_buckets - 1} or {num_buckets + 1}."
        )
    exact = num_buckets // 4 if bidirectional else num_buckets // 2
    check_size("max_distance", max_distance, minimum=exact + 1)


def check_bias_settings(
    num_heads: object, num_buckets: object, max_distance: object, bidirectional: object
) -> None:
    """Check the settings of a relative position bias."""
    check_size("num_heads", num_heads)
    check_buckets(num_buckets, max_distance, bidirectional)


def check_biased(
    bias: nn.Module, query_positions: object, key_positions: object, dtype: object
) -> None:
    """Check that a bias can be looked up for these positions."""
    check_two_rows(query_positions, key_positions)
    if dtype is not None:
        check_float_dtype("dtype", dtype)


def check_scored(
    keys: nn.Module, query: object, query_positions: object, key_positions: object
) -> None:
    """Check that queries fit the vectors of distances and their positions."""
    check_two_rows(query_positions, key_positions)
    weight: Tensor = keys.embedding.weight
    check_features("query", query, weight.size(1), axis="d_head")
    if query.size(-2) != query_positions.size(0):
        raise ValueError(
            "query_positions must hold a position for each query, got "
            f"{query_positions.size(0)} for {query.size(-2)} queries; slice them alike."
        )


def check_alibi(
    num_heads: object, query_positions: object, key_positions: object, dtype: object
) -> None:
    """Check the arguments of `alibi_bias`."""
    check_two_rows(query_positions, key_positions)
    if dtype is not None:
        check_float_dtype("dtype", dtype)
    check_size("num_heads", num_heads)
