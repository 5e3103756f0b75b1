"""How far apart two outputs are that pass as equal: the largest differences met.

The comparisons answer only whether two outputs are equal. What they met on the way is
noted here while somebody collects it::

    with collecting() as found:
        compare_outputs(stored, computed)
    found.units  # of the last printed place

Noted is what was compared, up to the first fault of each output.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Differences:
    """The largest differences in a number of outputs; zero when all were the same.

    Args:
        decimals: How many decimals are not printed alike.
        absolute: Between two decimals.
        units: Between two decimals, in units of the last place that is printed.
        points: Between two coordinates of a figure, on the printed picture.
        levels: Between two colors, of 255; in a picture the root mean square over a
            small tile.
    """

    decimals: int = 0
    absolute: float = 0.0
    units: int = 0
    points: float = 0.0
    levels: float = 0.0

    def __add__(self, other: "Differences") -> "Differences":
        """Return the differences of both together."""
        return Differences(
            decimals=self.decimals + other.decimals,
            absolute=max(self.absolute, other.absolute),
            units=max(self.units, other.units),
            points=max(self.points, other.points),
            levels=max(self.levels, other.levels),
        )


_collected: ContextVar[Differences | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[Differences]:
    """Collect what the comparisons inside meet."""
    found = Differences()
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def note_decimals(units: int, place: int) -> None:
    """Note two decimals that are some units apart, of ten to the power `place`."""
    found = _collected.get()
    if found is not None and units:
        found.decimals += 1
        # Read from a text, a number too large or too small for a float is no error.
        found.absolute = max(found.absolute, float(f"{units}e{place}"))
        found.units = max(found.units, units)


def note_points(distance: float) -> None:
    """Note two coordinates that are some points apart."""
    found = _collected.get()
    if found is not None:
        found.points = max(found.points, distance)


def note_levels(distance: float) -> None:
    """Note two colors or pictures that are some levels apart."""
    found = _collected.get()
    if found is not None:
        found.levels = max(found.levels, distance)
