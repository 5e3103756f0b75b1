"""Notebooks are validated in a process of its own, and what it said is kept."""

import pytest
from nbformat.v4 import new_output

from bookkit.book.errors import BookError
from bookkit.checking.validate import SIDE_BY_SIDE, validate

ASK = "import os\nprint(os.environ['ASKED'])"


@pytest.fixture
def chapter(checked_book, write_chapter, code):
    """A chapter that prints a variable; it is stored as 1."""
    cell = code(ASK)
    cell.execution_count = 1
    cell.outputs = [new_output("stream", name="stdout", text="1\n")]
    return write_chapter(cell)


def test_what_was_found_comes_back_with_the_report(checked_book, chapter, monkeypatch):
    monkeypatch.setenv("ASKED", "2")
    done = validate(checked_book, [chapter], *SIDE_BY_SIDE)
    assert not done.passed
    assert "notebook outputs compared: 1 text" in done.report
    [(name, record)] = done.records.items()
    assert name == "book/part/chapter.ipynb"
    assert 'stored "1", computed "2"' in record.faults["Cell 1"]


def test_the_variables_of_this_process_are_handed_on(
    checked_book, chapter, monkeypatch
):
    monkeypatch.setenv("ASKED", "1")
    assert validate(checked_book, [chapter]).passed


def test_a_run_that_does_not_come_to_its_end_is_named(checked_book):
    missing = checked_book / "book/part/missing.ipynb"
    with pytest.raises(BookError, match=r"status 4; it said: (?s:.*)missing\.ipynb"):
        validate(checked_book, [missing])
