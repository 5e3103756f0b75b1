"""The page on checks counts what the files hold, and claims no more."""

import ast
import json
import re
from pathlib import Path

import pytest
from nbformat.v4 import new_output

from bookkit.book.errors import BookError
from bookkit.book.files import find_root, read_toml
from bookkit.book.notebooks import chapters
from bookkit.checking.facts import facts
from bookkit.publishing.appendix import how_it_is_checked
from bookkit.publishing.appendix.counts import (
    Counts,
    count_book,
    count_chapter,
    law_tests,
)
from bookkit.publishing.appendix.how_it_is_checked import (
    CHECKS,
)

ROOT = find_root(Path(__file__))
TIMED = {"tags": ["nbval-ignore-output"]}
LAW = '<a id="thm-a"></a>\n**Theorem.** A law.'
EXERCISE = '<a id="ex-a"></a>\n\n### Exercise\n\nCompute.'


def printed(text):
    return [new_output("stream", name="stdout", text=text)]


def shown(**data):
    return [new_output("display_data", data=data)]


@pytest.fixture
def chapter(book, write_chapter, code):
    """A chapter with one of each thing, or two, and a file that tests its laws."""

    def cell(source, outputs, **metadata):
        made = code(source, **metadata)
        made.outputs = outputs
        return made

    tests = book / "tests" / "laws"
    tests.mkdir(parents=True)
    laws = "def test_a(): pass\ndef helper(): pass\ndef test_b(): pass\n"
    (tests / "test_chapter.py").write_text(laws)
    data = book / "code" / "chapters" / "chapter"
    data.mkdir(parents=True)
    (data / "experiments.json").write_text(json.dumps({"rows": [{}, {}]}))
    (data / "times.json").write_text(json.dumps({"rows": [{}]}))
    return write_chapter(
        LAW,
        EXERCISE,
        cell("print(1)", printed("1") + printed("2")),
        cell("show()", shown(**{"image/svg+xml": "<svg/>", "text/plain": "<Figure>"})),
        cell("silent = 1", []),
        cell("assert t", printed("fast"), **TIMED),
        cell("t = 1", printed("unchecked"), **TIMED),
        cell("drawn", [], draw="transformer.layers.masks:causal_mask"),
    )


def test_a_chapter_is_counted(book, chapter):
    assert count_chapter(chapter, book) == Counts(
        cells=6,
        drawn=1,
        ignored=1,
        texts=2,
        figures=1,
        exercises=1,
        laws=1,
        tests=2,
        rows=3,
    )


@pytest.fixture(scope="module")
def told():
    """What the page tells of the real book."""
    return how_it_is_checked.facts(ROOT)


def test_every_stored_row_is_counted_once(told):
    files = set((ROOT / "code/chapters").glob("*/*.json"))
    files -= set((ROOT / "code/chapters/labels").iterdir())
    stored = sum(len(json.loads(path.read_text("utf-8"))["rows"]) for path in files)
    assert told["total"].rows == stored


@facts("name", ["index", "using_this_book"])
def test_a_page_says_how_many_cells_are_not_compared(name):
    text = (ROOT / "book" / f"{name}.md").read_text("utf-8")
    assert re.search(r"\btwo cells\b.* measure time", text, re.I)
    assert count_book(ROOT).ignored == 2


@facts("path", chapters(ROOT), ids=lambda path: path.stem)
def test_the_laws_of_every_chapter_have_tests(path):
    appended = path.parent.name == "appendix"
    assert appended or count_chapter(path, ROOT).tests >= 2


def test_a_notebook_of_the_appendix_needs_no_tests_of_laws(book):
    assert law_tests(book / "book" / "appendix" / "new.ipynb", book) is None


def test_laws_without_tests_are_refused(book):
    with pytest.raises(BookError, match=r"file tests/laws/test_new.py, and there is"):
        law_tests(book / "book" / "part" / "new.ipynb", book)


@facts("check", read_toml(ROOT, CHECKS)["check"], ids=lambda check: check["name"])
def test_every_example_of_a_check_is_a_test_that_exists(check):
    path, name = check["test"].split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}


def test_formulas_are_counted_where_they_stand(told):
    *kinds, total = told["formulas"]["rows"]
    assert [where for where, *_ in kinds] == ["with a number", "without a number"]
    assert [*total[1:]] == [
        sum(column) for column in zip(*(kind[1:] for kind in kinds), strict=True)
    ]
