"""What pytest reports of the cells of a notebook becomes one record."""

from dataclasses import asdict

import pytest

from bookkit.checking.compare.record import (
    COUNTS,
    DIFFERENCES,
    Differences,
    NotebookRecord,
    read_records,
    sum_of,
    table_of,
    write_records,
)
from bookkit.checking.facts import facts


def report(when="call", outcome="passed", said=None, **properties):
    return pytest.TestReport(
        nodeid="a.ipynb::Cell 1",
        location=("a.ipynb", 0, "Cell 1"),
        keywords={},
        outcome=outcome,
        longrepr=said,
        when=when,
        user_properties=list(properties.items()),
    )


@pytest.fixture
def record():
    """A notebook of two cells; the second fails."""
    found = NotebookRecord()
    for cell, outcome, said in (("Cell 1", "passed", None), ("Cell 2", "failed", "1")):
        properties = {
            COUNTS: {"cells": 1, "text": 2, "SVG": 1},
            DIFFERENCES: asdict(Differences(decimals=3, units=1, points=0.05)),
        }
        found.add(cell, report("setup"))
        found.add(cell, report("call", outcome, said, **properties))
        found.add(cell, report("teardown", **properties))
    return found


def test_cells_are_counted_once_and_faults_keep_their_words(record):
    assert record.cells == {"Cell 1": None, "Cell 2": "1"}
    assert record.faults == {"Cell 2": "1"}
    assert record.counts == {"cells": 2, "text": 4, "SVG": 2}
    assert record.outputs == 6
    assert record.differences == Differences(decimals=6, units=1, points=0.05)


@facts("when", ["setup", "call", "teardown"])
def test_a_fault_before_or_after_a_cell_is_one_of_the_cell(when):
    found = NotebookRecord()
    if when == "teardown":
        found.add("Cell 1", report("call"))
    found.add("Cell 1", report(when, "failed", "no kernel"))
    assert found.faults == {"Cell 1": "no kernel"}


def test_a_cell_that_never_ran_is_not_on_record():
    found = NotebookRecord()
    found.add("Cell 1", report("setup"))
    assert found.cells == {}


def test_records_are_read_as_they_were_written(record, tmp_path):
    write_records(tmp_path / "a.json", {"a.ipynb": record, "b.ipynb": NotebookRecord()})
    found = read_records(tmp_path / "a.json")
    assert found == {"a.ipynb": record, "b.ipynb": NotebookRecord()}


def test_the_sum_and_the_table_are_of_all(record):
    other = NotebookRecord(differences=Differences(1, 0.25, 2, 0.0, 1.5))
    assert sum_of([record, other]).outputs == 6
    lines = table_of({"b.ipynb": other, "a.ipynb": record})
    assert [line.split() for line in lines[1:4]] == [
        ["a.ipynb", "6", "6", "0", "1", "0.05", "0"],
        ["b.ipynb", "0", "1", "0.25", "2", "0", "1.5"],
        ["all", "6", "7", "0.25", "2", "0.05", "1.5"],
    ]
    assert len({len(line) for line in lines[:4]}) == 1
