"""One list names all that a page lacks, and nothing that it has."""

import pytest
from nbformat.v4 import new_output

from bookkit.checking import page
from bookkit.checking.page import failures, missing

FAILING = """\
from bookkit.checking.facts import facts

@facts("label", ["eq-a", "eq-b"])
def test_formula_holds(label):
    assert label == "eq-a", f"{label} must hold.\\nIt does not."

def test_plain():
    assert 1 + 1 == 3

def test_passes():
    pass
"""


@pytest.fixture
def chapter(checked_book, write_chapter, code):
    """A chapter with a stale output, and two cells that raise."""
    cells = code("print(1)"), code("1 / 0"), code("2 / 0")
    for cell, identity in zip(cells, ("stale", "first", "second"), strict=True):
        cell.id = identity
    cells[0].outputs = [new_output("stream", name="stdout", text="2")]
    return write_chapter("# Title", *cells)


def test_what_fails_is_told_in_one_line_each_with_its_test(chapter, checked_book):
    folder = checked_book / "tests" / "chapters" / "chapter"
    folder.mkdir(parents=True)
    (folder / "test_figures.py").write_text(FAILING)
    (folder / "test_broken.py").write_text("1 / 0")
    head, *lines = failures(chapter)
    name, tests = "book/part/chapter.ipynb", "tests/chapters/chapter/test_"
    assert f"make run check NOTEBOOK={name}" in head
    assert lines == [
        f"- {name}, code cell 1 (id stale): the cell was never executed (its execution "
        'count is empty)\n  and output 1 (stdout): line 1: stored "2", computed '
        '"1", in "2" against "1"',
        f"- {name}, code cell 2 (id first): Cell execution caused an exception. "
        "ZeroDivisionError: division by zero",
        lines[2],
        f"- eq-b must hold.\n  It does not. [{tests}figures.py::test_formula_holds]",
        f"- assert (1 + 1) == 3 [{tests}figures.py::test_plain]",
        "- 1 more cells raise an error, perhaps because of the first.",
    ]
    assert "ZeroDivisionError: division by zero [" in lines[2]


def test_no_part_ends_the_others(chapter, monkeypatch, checked_book):
    (checked_book / "_toc.yml").write_text("{")
    monkeypatch.setattr(page, "failures", lambda path: ["what fails"])
    rule, *_, of_book, of_tests = missing(chapter)
    assert rule.startswith("The first code cell is the bootstrap")
    assert of_book.startswith("_toc.yml must be readable YAML")
    assert of_tests == "what fails"


def test_a_notebook_that_cannot_be_read_is_told_once(chapter):
    chapter.write_text("no notebook")
    found = [line for line in missing(chapter) if "must be a notebook in JSON" in line]
    assert len(found) == 1
