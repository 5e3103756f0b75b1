"""Checks at the doors of embeddings and of positions that are added to them."""

from torch import Tensor, nn

from transformer.checks.tensors import (
    check_features,
    check_tokens,
)
from transformer.checks.values import (
    check_size,
)


def check_known(embedding: nn.Module, tokens: object) -> None:
    """Check that an embedding has a row for each token."""
    check_tokens(tokens, rows_of(embedding))


def rows_of(embedding: object) -> int | None:
    """Return how many rows an embedding has; None where that is not told."""
    table = getattr(getattr(embedding, "embedding", None), "weight", None)
    return table.size(0) if isinstance(table, Tensor) else None


def check_encoded(encoding: nn.Module, x: object, start: object) -> None:
    """Check that a table has the rows to add to `x`."""
    check_features("x", x, encoding.table.size(-1))
    check_span(start, x.size(-2), encoding.table.size(0))


def check_placed(positions: nn.Module, x: object, start: object) -> None:
    """Check that a learned table has the rows to add to `x`."""
    weight = positions.embedding.weight
    check_features("x", x, weight.size(1))
    check_span(start, x.size(-2), weight.size(0))


def check_span(start: object, length: int, max_len: int) -> None:
    """Check that `length` positions from `start` on fit into `max_len`."""
    check_size("start", start, minimum=0)
    if start + length > max_len:
        raise ValueError(
            f"positions must stay below max_len={max_len}, got {length} positions from "
            f"{start} on; shorten the sequence or enlarge max_len."
        )
