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
    GPU,
    formula_place,
    gpu,
)
from bookkit.writing.constraints import versions

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


def test_a_book_is_the_sum_of_its_chapters():
    total = count_book(ROOT)
    each = [count_chapter(path, ROOT) for path in chapters(ROOT)]
    assert total.cells == sum(counts.cells for counts in each)
    assert total.outputs == sum(c.texts + c.figures for c in each) > 0


@pytest.fixture(scope="module")
def told():
    """What the page tells of the real book."""
    return how_it_is_checked.facts(ROOT)


def test_every_stored_row_is_counted_once(told):
    files = (ROOT / "code/chapters").glob("*/*.json")
    stored = sum(len(json.loads(path.read_text("utf-8"))["rows"]) for path in files)
    assert told["total"].rows == stored


def test_a_chapter_with_several_files_leads_to_their_folder(told):
    ends = {line["title"].split("/")[-1]: line["rows"] for line in told["chapters"]}
    assert ends["self_attention.ipynb)"].endswith("/code/chapters/self_attention)")
    assert ends["embeddings.ipynb)"].endswith("/embeddings/experiments.json)")
    assert ends["rotary.ipynb)"] == "none"


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


def test_a_version_that_is_not_pinned_is_refused(book):
    (book / "requirements.txt").write_text("torch==2\nnumpy>=1\n")
    with pytest.raises(
        BookError, match="must pin numpy, matplotlib, transformers with =="
    ):
        versions(book)


@facts("check", read_toml(ROOT, CHECKS)["check"], ids=lambda check: check["name"])
def test_every_example_of_a_check_is_a_test_that_exists(check):
    path, name = check["test"].split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}


def write(root, name, **result):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result))


def test_without_a_run_on_a_gpu_the_page_says_so(tmp_path, section):
    said = section("gpu", gpu(tmp_path))
    assert said.startswith("Not yet run on a GPU.")
    met = {"outputs": 1234, "decimals": 3, "units": 1, "points": 0.0123, "levels": 0.0}
    run = {"device": "A GPU", "torch": "2", "chapters": 1, "outputs": 1234}
    write(tmp_path, GPU, **run, differences={"book/part/a.ipynb": met})
    told, *_, head, rule, row = section("gpu", gpu(tmp_path)).splitlines()
    assert told == (
        "The last recorded run on a GPU (A GPU, torch 2) ran 1 chapter and compared "
        "1,234 outputs with the ones stored here, which come from a CPU. Random "
        "numbers are drawn on the CPU there too, so that what is left are sums in "
        "another order."
    )
    assert [head, rule, row] == [
        "| chapter | outputs | decimals | units | points | levels |",
        "| :-- | --: | --: | --: | --: | --: |",
        "| [](../part/a.ipynb) | 1234 | 3 | 1 | 0.012 | 0 |",
    ]


def test_a_note_on_the_run_on_a_gpu_is_told(tmp_path, section):
    run = {"device": "A GPU", "torch": "2", "chapters": 1, "outputs": 1}
    write(tmp_path, GPU, **run, differences={}, note="One cell stopped.")
    said = section("gpu", gpu(tmp_path))
    assert "in another order. One cell stopped." in said


def test_formulas_are_counted_where_they_stand(told):
    *kinds, total = told["formulas"]["rows"]
    assert [where for where, *_ in kinds] == ["with a number", "without a number"]
    assert [*total[1:]] == [
        sum(column) for column in zip(*(kind[1:] for kind in kinds), strict=True)
    ]


def test_a_formula_that_is_not_computed_is_named_with_its_reason(told):
    assert (
        "[](../feed_forward/feed_forward.ipynb), *A hot dog is not a warm dog*",
        "No numbers fulfill all four equations, which is what the page shows.",
    ) in told["formulas"]["not_bound"]


@facts(
    "label, place",
    [
        ("eq-sum", "[](#eq-sum)"),
        ("chapter: Sums (2)", "[](../part/chapter.ipynb), *Sums (2)*"),
    ],
)
def test_a_formula_is_named_by_its_place(label, place, book):
    pages = {"chapter": book / "book" / "part" / "chapter.ipynb"}
    assert formula_place(label, pages, book) == place
