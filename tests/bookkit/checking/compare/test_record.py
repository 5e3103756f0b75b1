"""What passes as equal is measured, and what pytest reports becomes one record."""

from dataclasses import asdict

import pytest

from bookkit.checking.compare.outputs import compare_outputs
from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.record import (
    COUNTS,
    DIFFERENCES,
    Differences,
    NotebookRecord,
    collecting,
    read_records,
    sum_of,
    table_of,
    write_records,
)
from bookkit.checking.compare.svg import compare_svg
from bookkit.checking.compare.text import compare_text
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


# name: (stored, computed, decimals, absolute, units)
TEXTS = {
    "the same": ("0.1234", "0.1234", 0, 0.0, 0),
    "one unit": ("0.1234", "0.1235", 1, 1e-4, 1),
    "a sign": ("0.00", "-0.00", 0, 0.0, 0),
    "across zero": ("0.1", "-0.0", 1, 0.1, 1),
    "the largest of several": ("0.1 2.00 3.0", "0.1 2.01 3.1", 2, 0.1, 1),
    "an exponent": ("1.25e-03", "1.26e-03", 1, 1e-5, 1),
    "two exponents": ("1.00e-05", "9.99e-06", 1, 1e-8, 1),
    "groups": ("1,234.5", "1,234.6", 1, 0.1, 1),
    "a fault": ("0.1234", "0.1334", 1, 1e-2, 100),
    "what follows a fault": ("1 0.1", "2 0.2", 0, 0.0, 0),
    "a number beyond any float": ("1.0e999", "1.1e999", 1, float("inf"), 1),
    "a number below any float": ("1.0e-999", "1.1e-999", 1, 0.0, 1),
}


@facts("stored, computed, decimals, absolute, units", TEXTS.values(), ids=[*TEXTS])
def test_decimals_are_measured(stored, computed, decimals, absolute, units):
    with collecting() as found:
        compare_text(stored, computed)
    assert (found.decimals, found.units) == (decimals, units)
    assert found.absolute == pytest.approx(absolute, rel=1e-12)


def draw(body, head='viewBox="0 0 300 200" width="300pt" height="200pt"'):
    return f'<svg xmlns="http://www.w3.org/2000/svg" id="figure_1" {head}>{body}</svg>'


# name: (stored, computed, points, levels)
FIGURES = {
    "a length": ('<rect x="1"/>', '<rect x="1.04"/>', 0.04, 0),
    "a path": ('<path d="M1 2L3 4"/>', '<path d="M1 2L3 4.05"/>', 0.05, 0),
    "a shift": (
        '<g transform="translate(5 7)"/>',
        '<g transform="translate(5.03 7)"/>',
        0.03,
        0,
    ),
    "an opacity": ('<g opacity="0.5"/>', '<g opacity="0.5009"/>', 0, 0),
    "a scale": ('<g transform="scale(2)"/>', '<g transform="scale(2.0001)"/>', 0, 0),
    "a color": ('<g fill="#000000"/>', '<g fill="#000200"/>', 0, 2),
    "a fault": ('<rect x="1"/>', '<rect x="4"/>', 3, 0),
}


@facts("stored, computed, points, levels", FIGURES.values(), ids=[*FIGURES])
def test_figures_are_measured(stored, computed, points, levels):
    with collecting() as found:
        compare_svg(draw(stored), draw(computed))
    assert found.points == pytest.approx(points)
    assert found.levels == levels


def test_pictures_are_measured(figure, png):
    with collecting() as found:
        assert compare_png(png, figure(format="png", cell=0.255)) is None
    assert 0 < found.levels <= 4
    with collecting() as found:
        assert compare_png(png, figure(format="png", cell=0.5))
    assert found.levels > 4


def test_all_outputs_of_a_cell_are_measured_together():
    def outputs(*texts):
        return [
            {"output_type": "execute_result", "data": {"text/plain": t}} for t in texts
        ]

    with collecting() as found:
        assert compare_outputs(outputs("0.10", "1.0"), outputs("0.11", "1.1")) == []
    assert found == Differences(decimals=2, absolute=pytest.approx(0.1), units=1)


def test_nothing_is_noted_outside_and_an_inner_collection_is_its_own():
    with collecting() as outer:
        with collecting() as inner:
            compare_text("0.1", "0.2")
        compare_text("0.10", "0.11")
    compare_text("0.1", "0.5")
    assert (inner.absolute, outer.absolute) == (0.1, 0.01)


def test_differences_add_up_to_the_largest():
    one = Differences(decimals=2, absolute=0.1, units=1, points=0.5)
    two = Differences(decimals=3, absolute=0.01, units=4, levels=2.5)
    assert one + two == Differences(5, 0.1, 4, 0.5, 2.5)
