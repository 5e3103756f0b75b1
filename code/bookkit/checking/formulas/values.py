"""What the signs of a formula do with numbers, vectors and matrices.

A vector is an array with one axis and stands as a row; its transpose, the column, has
two axes. An operation that the book's notation does not allow is refused, and not
broadcast.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

TOLERANCE = 1e-9


class FormulaError(ValueError):
    """A formula cannot be read, or does not fit the values of its names."""


@dataclass(frozen=True)
class Family:
    """Values that indices tell apart; with `functions`, each of them is a function."""

    at: Callable[..., Any]
    functions: bool = False


class Shape(list):
    """How many rows and columns the matrices of a set have."""

    def __contains__(self, matrix: object) -> bool:
        return list(np.shape(matrix)) == self


def same(left: Any, right: Any, tolerance: float = TOLERANCE) -> bool:
    """Say whether two values have one shape and agree, by default to 1e-9."""
    if not (_numeric(left) and _numeric(right)):
        raise FormulaError("what is compared is no number")
    if np.shape(left) != np.shape(right):
        raise FormulaError(f"{np.shape(left)} is compared with {np.shape(right)}")
    return np.allclose(left, right, rtol=tolerance, atol=tolerance)


RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": same,
    r"\approx": same,
    r"\sim": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    r"\ne": operator.ne,
    r"\le": operator.le,
    r"\ge": operator.ge,
    r"\in": lambda element, among: element in among,
}


def _numeric(value: Any) -> bool:
    return isinstance(value, int | float | complex | np.ndarray | np.generic)


def plus(left: Any, right: Any) -> Any:
    """Add what has one shape, or a number to each component."""
    if np.ndim(left) and np.ndim(right) and np.shape(left) != np.shape(right):
        raise FormulaError(f"{np.shape(left)} is added to {np.shape(right)}")
    return left + right


def times(left: Any, right: Any) -> Any:
    """Multiply what stands side by side: numbers, or rows, columns and matrices."""
    if not np.ndim(left) or not np.ndim(right):
        return left * right
    if np.ndim(left) == 1 and np.ndim(right) == 1:
        raise FormulaError("two rows stand side by side")
    if np.ndim(right) == 1:
        return left @ right[None]
    found = left @ right
    return found[0] if found.shape == (1,) else found


def dot(left: Any, right: Any) -> Any:
    """Return the product of numbers, or the dot product of two vectors."""
    if not np.ndim(left) or not np.ndim(right):
        return left * right
    return np.sum(componentwise(left, right))


def componentwise(left: Any, right: Any) -> Any:
    """Multiply component by component."""
    if np.shape(left) != np.shape(right):
        raise FormulaError(f"{np.shape(left)} meets {np.shape(right)}")
    return left * right


def over(left: Any, right: Any) -> Any:
    """Divide by a number."""
    if np.ndim(right):
        raise FormulaError("something is divided by a vector")
    return left / right


def power(base: Any, exponent: Any) -> Any:
    """Raise a number to a power."""
    if np.ndim(base) or np.ndim(exponent):
        raise FormulaError("a vector has an exponent")
    return float(base) ** exponent


def transposed(value: Any) -> Any:
    """Turn a row into a column, a column into a row, and a matrix over."""
    if np.ndim(value) == 0:
        raise FormulaError("a number is transposed")
    if np.ndim(value) == 1:
        return value[:, None]
    return value[:, 0] if value.shape[1] == 1 else value.T


def beside(*matrices: Any) -> Any:
    """Put matrices side by side."""
    return np.concatenate(matrices, axis=-1)


def stacked(rows: list[list[Any]]) -> Any:
    """Make a matrix, or a column, of its entries."""
    return np.array(rows, dtype=float)


def at(value: Any, indices: list[Any], first: int) -> Any:
    """Return what indices pick; those of arrays count from `first`."""
    exact = [round(i) if float(i).is_integer() else i for i in indices]
    if isinstance(value, Family):
        return value.at(*exact)
    for index, size in zip(exact, np.shape(value)[: len(exact)], strict=True):
        if not isinstance(index, int) or not first <= index < first + size:
            raise FormulaError(f"the index {index} is none of {size} from {first}")
    return value[tuple(index - first for index in exact)]
