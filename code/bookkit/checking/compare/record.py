"""What a session found in each notebook: faults, counts, the largest differences."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bookkit.checking.compare.differences import Differences

COMPARED = "text", "SVG", "PNG", "other"
# Under these names an item hands over its counts and its differences.
COUNTS, DIFFERENCES = "notebook outputs", "notebook differences"


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

    def add(self, cell: str, report: pytest.TestReport) -> None:
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
    return {name: _record(**fields) for name, fields in found.items()}


def _record(
    cells: dict[str, str | None], counts: dict[str, int], differences: dict[str, Any]
) -> NotebookRecord:
    """Make a record of what a file holds."""
    return NotebookRecord(cells, Counter(counts), Differences(**differences))


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
