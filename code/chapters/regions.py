"""Conditions on several numbers at once, in a form that a page of the site can judge.

A region is a list of alternatives. In each stand bands: sums of the numbers, each times
a weight, that must lie between two ends. What is no such sum is `Computed` by formulas.
"""

from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from chapters.written import value_of


class Band(NamedTuple):
    """A weighted sum of the numbers of an answer that must lie between two ends."""

    weights: tuple[float, ...]
    low: float = -inf
    high: float = inf

    def holds(self, numbers: list[float]) -> bool:
        """Return whether the sum lies there."""
        parts = zip(self.weights, numbers, strict=True)
        return self.low <= sum(weight * number for weight, number in parts) <= self.high


class Region(NamedTuple):
    """A property of numbers: in one of the alternatives all bands hold."""

    alternatives: tuple[tuple[Band, ...], ...]
    whole: bool = False

    def __call__(self, *answer: Any) -> bool:
        """Return whether the numbers of an answer lie in the region."""
        numbers = [0.0 + _as_python(number) for number in numbers_of(answer)]
        if self.whole and any(number % 1 for number in numbers):
            return False
        return any(
            all(band.holds(numbers) for band in bands) for bands in self.alternatives
        )


class Computed(NamedTuple):
    """A property of numbers: formulas of them give about what they must.

    In a formula, n0, n1 and so on are the numbers of the answer, in their order, and
    relu(n0) is the larger of n0 and 0.
    """

    wanted: tuple[tuple[str, float], ...]
    within: float = 1e-6

    def __call__(self, *answer: Any) -> bool:
        """Return whether all formulas give it."""
        names = {f"n{place}": float(n) for place, n in enumerate(numbers_of(answer))}
        return all(
            abs(value_of(formula, names) - to) <= self.within
            for formula, to in self.wanted
        )


def _as_python(number: Any) -> Any:
    """Return a number as Python's; a tensor would round the ends of a band."""
    return number.item() if hasattr(number, "item") else number


def numbers_of(answer: Any) -> Iterator[Any]:
    """Yield the numbers of an answer one by one, also those within lists."""
    for part in answer:
        if isinstance(part, tuple | list) or getattr(part, "ndim", 0):
            yield from numbers_of(part)
        else:
            yield part


def about(*weights: float, to: float = 0.0, within: float = 1e-6) -> Band:
    """Return a band around a number, to which a weighted sum must be near."""
    return Band(weights, to - within, to + within)


def every(*bands: Band, whole: bool = False) -> Region:
    """Return the region in which all bands hold."""
    return Region((bands,), whole)


def either(*alternatives: tuple[Band, ...]) -> Region:
    """Return the region in which one alternative holds, with all of its bands."""
    return Region(alternatives)
