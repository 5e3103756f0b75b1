"""Notebooks are run with the canary, and are faulty when it is not noticed."""

from dataclasses import replace

import pytest

from bookkit.book.errors import BookError
from bookkit.book.notebooks import read_notebook
from bookkit.checking.canary import NOTEBOOK, watched
from bookkit.checking.canary.plants import code_cells, reasons
from bookkit.checking.canary.watched import validate_watched
from bookkit.checking.compare.record import NotebookRecord
from bookkit.checking.validate import Validation

CHAPTER = "book/part/chapter.ipynb"


def record(*faults):
    """Record cells with what is wrong with each."""
    named = enumerate(faults, start=1)
    return NotebookRecord(cells={f"Cell {n}": fault for n, fault in named})


@pytest.fixture
def run(checked_book, write_chapter, code, monkeypatch):
    """Run a chapter of two cells; what pytest would say of it is given."""
    path = write_chapter(code("1"), code("2"))
    cells = code_cells(read_notebook(checked_book / NOTEBOOK))
    noticed = record(*(reasons().get(name) for name in cells))

    def run(chapter, canary=noticed, **changes):
        given = {CHAPTER: chapter, NOTEBOOK: canary}
        said = Validation(passed=False, records=given, report="said")
        asked = []

        def validate(root, notebooks, *options, variables):
            asked.extend([*notebooks, *options, variables])
            return replace(said, **changes)

        monkeypatch.setattr(watched, "validate", validate)
        found = validate_watched(checked_book, [path], "-x", variables={"a": "b"})
        assert asked == [path, checked_book / NOTEBOOK, "-x", {"a": "b"}]
        return found

    return run


def test_a_chapter_as_stored_and_a_canary_that_was_noticed_are_no_faults(run):
    chapter = record(None, None)
    found = run(chapter)
    assert (found.records, found.faults) == ({CHAPTER: chapter}, [])


def test_a_fault_of_a_chapter_is_named(run):
    assert run(record(None, "why")).faults == [f"{CHAPTER}, Cell 2: why"]


def test_a_canary_that_was_not_noticed_is_a_fault_for_each_planted_cell(run):
    faults = run(record(None, None), record(*[None] * 25)).faults
    assert len(faults) == len(reasons())
    assert "canary, planted-text must fail, and passed" in faults


def test_cells_of_a_chapter_that_did_not_run_are_a_fault(run):
    said = f"{CHAPTER} must run all of its 2 cells, and ran"
    assert run(record(None)).faults == [f"{said} 1"]
    assert run(record()).faults == [f"{said} 0"]


def test_a_green_run_and_a_canary_that_did_not_run_are_refused(run):
    message = "must be red after all of its 25 cells; this one ran {} and said: said"
    with pytest.raises(BookError, match=message.format(25)):
        run(record(None, None), passed=True)
    with pytest.raises(BookError, match=message.format(0)):
        run(record(None, None), NotebookRecord())
