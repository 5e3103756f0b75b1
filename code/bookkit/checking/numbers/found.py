"""Look a number up among others: does one of them round to it?"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from bookkit.checking.numbers.said import Number, slips

_SLACK = 1 + 1e-6
MOST_SLIPS = 0.4


class Found:
    """Numbers that were found somewhere, with their signs.

    Args:
        rounded: Those that prose may round, as what is printed.
        exact: Those that it must say as they are, as what stands in code.
    """

    def __init__(
        self, rounded: Iterable[float] = (), exact: Iterable[float] = ()
    ) -> None:
        self.rounded, self.exact = frozenset(rounded), frozenset(exact)

    @cached_property
    def _tables(self) -> list[tuple[list[float], list[float]]]:
        """The sizes of all numbers and of those below zero: of both kinds."""
        return [
            (_sizes(values), _sizes(value for value in values if value < 0))
            for values in (self.rounded, self.exact)
        ]

    def __or__(self, other: "Found") -> "Found":
        return Found(self.rounded | other.rounded, self.exact | other.exact)

    def has(self, number: Number) -> bool:
        """Say whether one of the numbers is this one, or rounds to it.

        One with a sign must have it; one without may be the size of a negative one. A
        percentage may also be a share, and in code it must be one, or say so, because
        10 % are not 10 rows. A million may stand in a column of millions.
        """
        for (sizes, below), rounds in zip(self._tables, (True, False), strict=True):
            among = below if number.negative else sizes
            whole = rounds or not number.percent
            for value, unit in number.readings[0 if whole else -1 :]:
                half = unit / 2 * _SLACK if rounds else 1e-9 * value
                place = bisect_left(among, value - half)
                if place < len(among) and among[place] <= value + half:
                    return True
        return False

    def tells(self, number: Number) -> bool:
        """Say whether it is among the numbers, and most slips of the hand are not."""
        return self.has(number) and self.share_of_slips(number) <= MOST_SLIPS

    def share_of_slips(self, number: Number) -> float:
        """Return how many of all numbers with one other digit are here as well."""
        others = [*slips(number)]
        return sum(map(self.has, others)) / len(others)


def _sizes(values: Iterable[float]) -> list[float]:
    """Return the sizes of numbers, in order."""
    return sorted({abs(value) for value in values})
