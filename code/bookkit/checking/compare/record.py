"""What a session found in each notebook: faults, counts, the largest differences.

The comparisons answer only whether two outputs are equal. How far apart those are that
pass is noted while somebody collects it, up to the first fault of each output::

    with collecting() as found:
        compare_outputs(stored, computed)
    found.units  # of the last printed place
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

COMPARED = "text", "SVG", "PNG", "other"
# Under these names an item hands over its counts and its differences.
COUNTS, DIFFERENCES = "notebook outputs", "notebook differences"


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


@dataclass
class NotebookRecord:
    """What came of one notebook.

    Args:
        cells: What is wrong with each cell that ran, or None, by its name.
        counts: How many outputs of each kind were compared, and cells ignored.
        differences: The largest that were met.
    """

    cells: dict[str, str | None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    differences: Differences = field(default_factory=Differences)

    @property
    def outputs(self) -> int:
        """How many outputs were compared."""
        return sum(self.counts[kind] for kind in COMPARED)

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong, by the name of the cell."""
        return {name: fault for name, fault in self.cells.items() if fault}

    def add(self, cell: str, report: "pytest.TestReport") -> None:
        """Add what pytest reports of one cell."""
        if report.failed:
            self.cells[cell] = report.longreprtext
        elif report.when == "call":
            self.cells[cell] = None
        for name, value in report.user_properties if report.when == "call" else ():
            if name == COUNTS:
                self.counts.update(value)
            elif name == DIFFERENCES:
                self.differences += Differences(**value)


def write_records(path: Path, records: Mapping[str, NotebookRecord]) -> None:
    """Write records to a file, in JSON."""
    found = {
        name: {
            "cells": record.cells,
            "counts": record.counts,
            "differences": asdict(record.differences),
        }
        for name, record in sorted(records.items())
    }
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def read_records(path: Path) -> dict[str, NotebookRecord]:
    """Read what was written."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: NotebookRecord(
            fields["cells"],
            Counter(fields["counts"]),
            Differences(**fields["differences"]),
        )
        for name, fields in found.items()
    }


def table_of(records: Mapping[str, NotebookRecord]) -> list[str]:
    """Return the largest differences of each notebook, as the lines of a table."""
    width = max(len(name) for name in [*records, "notebook"])
    lines = [
        f"{'notebook':{width}}  outputs  decimals   absolute  units  points  levels"
    ]
    total = sum_of(records.values())
    for name, record in [*sorted(records.items()), ("all", total)]:
        found = record.differences
        lines.append(
            f"{name:{width}}  {record.outputs:7}  {found.decimals:8}"
            f"  {found.absolute:9.2g}  {found.units:5}  {found.points:6.2g}"
            f"  {found.levels:6.2g}"
        )
    lines.append(
        "Largest differences between stored and computed outputs. decimals: how many "
        "differ; units: of the last printed place; points: of coordinates; levels: of "
        "255, of colors"
    )
    return lines


def sum_of(records: Iterable[NotebookRecord]) -> NotebookRecord:
    """Return the counts and the differences of several notebooks together."""
    total = NotebookRecord()
    for record in records:
        total.counts += record.counts
        total.differences += record.differences
    return total
