"""Look a number up among others: does one of them round to it?"""

from bisect import bisect_left
from collections.abc import Iterable

from bookkit.checking.numbers.said import Number

_SLACK = 1 + 1e-6


class Found:
    """Numbers that were found somewhere, in order.

    Args:
        values: The numbers with their signs.
    """

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.values = frozenset(values)
        self._sizes = sorted({abs(value) for value in self.values})
        self._below_zero = sorted({-value for value in self.values if value < 0})

    def __or__(self, other: "Found") -> "Found":
        return Found(self.values | other.values)

    def has(self, number: Number) -> bool:
        """Say whether one of the numbers rounds to this one.

        One with a sign must have it; one without may be the size of a negative one. A
        percentage may also be a share, and a million stand in a column of millions.
        """
        among = self._below_zero if number.negative else self._sizes
        for value, unit in number.readings:
            half = unit / 2 * _SLACK
            place = bisect_left(among, value - half)
            if place < len(among) and among[place] <= value + half:
                return True
        return False
