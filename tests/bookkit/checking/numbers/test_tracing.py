"""Each number of a page is traced to what shows it, and no farther."""

import json

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.book.notebooks import write_notebook
from bookkit.checking.facts import facts
from bookkit.checking.numbers.tracing import RECORD, Page, pages_url


def printed(text):
    """Make a code cell that printed a text."""
    return new_code_cell("show()", outputs=[new_output("stream", text=text)])


@pytest.fixture
def traced(book):
    """Return where the last number of a page comes from, given its cells."""

    def trace(*cells, listed=""):
        if listed:
            (book / RECORD).parent.mkdir(parents=True, exist_ok=True)
            (book / RECORD).write_text(f'["part/page"]\n{listed}', encoding="utf-8")
        made = [c if hasattr(c, "cell_type") else new_markdown_cell(c) for c in cells]
        page = Page(new_notebook(cells=made), book / "book" / "part" / "page.ipynb")
        last = max(page.traced(), key=lambda one: (one.passage.name, one.number.begin))
        return last.source

    return trace


FAR = [printed("0.51 and 0.6237 and 0.987"), "## Another section"]


@facts(
    "cells, source",
    [
        ([printed("loss 0.5149"), "It is 0.51."], "near"),
        (["It is 0.51.", printed("loss 0.5149")], "near"),
        ([*FAR, "It is 0.51."], ""),
        ([*FAR, "It is 0.6237."], "page"),
        ([*FAR, "It is 0.987."], ""),
        ([printed("0.987"), "First 0.987.", "## Next", "Then 0.987."], "repeated"),
        ([printed("0.51"), "First 0.51.", "## Next", "Then 0.51."], ""),
        ([printed("0.987"), *map(printed, "123"), "It is 0.987."], "section"),
        ([printed("0.51"), *map(printed, "123"), "It is 0.51."], ""),
        (["So $0.2 + 0.31 = 0.51$."], "equation"),
        (["By [A](https://a.b/c) it is 0.51."], "cited"),
        (["[A](https://a.b/c) says much. It is 0.51."], ""),
        (
            ["## A number", printed("0.51"), "## B", "See [A](#a-number), 0.51."],
            "linked",
        ),
        (["## A number", printed("0.52"), "## B", "See [A](#a-number), 0.51."], ""),
        ([printed(" ".join(f"0.{i:02d}" for i in range(100))), "It is 0.51."], ""),
    ],
)
def test_a_number_comes_from_what_shows_it(traced, cells, source):
    assert traced(*cells) == source


@facts(
    "listed, source",
    [
        ('on_page = ["It is 0.51"]', "listed"),
        ('on_page = ["It is 0.52"]', ""),
        ('from = {"It is 0.51" = "Doe (2020), table 3"}', "listed"),
        ('from = {"It is 0.51" = "= 0.2 + 0.31"}', "listed"),
        ('from = {"It is 0.51" = "= 0.2 + 0.32"}', ""),
        ('from = {"It is 0.51" = "part/other"}', "listed"),
        ('from = {"It is 0.51" = "part/other#right"}', "listed"),
        ('from = {"It is 0.51" = "part/other#wrong"}', ""),
        ('from = {"It is 0.51" = "part/other#cell-3"}', "listed"),
        ('from = {"It is 0.51" = "part/other#cell-1"}', ""),
        ('from = {"It is 0.51" = "part/other#cell-1; part/other#cell-3"}', "listed"),
        ('from = {"It is 0.51" = "part/other#gone"}', ""),
        ('from = {"It is 0.51" = "crowd.json"}', ""),
        ('from = {"It is 0.51" = "settings.py"}', "listed"),
        ('from = {"It is 0.51" = "rounded.py"}', ""),
        ('from = {"It is 0.51" = "data.json"}', "listed"),
        ('from = {"It is 0.51" = "gone.json"}', ""),
        ('from = {"It is 0.51" = "test_it.py::test_it"}', "listed"),
        ('from = {"It is 0.51" = "test_it.py::test_no"}', ""),
    ],
)
def test_a_listed_source_must_have_the_number(traced, book, listed, source):
    cells = ["## Wrong", printed("0.62"), "## Right", printed("0.5149")]
    made = [c if hasattr(c, "cell_type") else new_markdown_cell(c) for c in cells]
    other = new_notebook(cells=made)
    for place, cell in enumerate(other.cells):
        cell.id = f"cell-{place}"
    write_notebook(book / "book" / "part" / "other.ipynb", other)
    (book / "data.json").write_text(json.dumps({"loss": 0.5149}))
    (book / "crowd.json").write_text(json.dumps([i / 100 for i in range(100)]))
    (book / "settings.py").write_text("RATE = 0.51\n")
    (book / "rounded.py").write_text("RATE = 0.5149\n")
    (book / "test_it.py").write_text("def test_it():\n    pass\n")

    assert traced(*FAR, "It is 0.51.", listed=listed) == source


def test_a_cell_of_the_page_is_named_and_no_other_has_its_numbers(traced):
    cell = printed("0.51")
    cell.id = "code-loss"

    def source(name):
        listed = f'from = {{"It is 0.51" = "#{name}"}}'
        return traced(cell, printed("0.62"), *FAR[1:], "It is 0.51.", listed=listed)

    assert source("code-loss") == "listed"
    assert source("code-other") == ""


def test_a_text_that_a_heading_cuts_is_one_cell(traced):
    cut = new_markdown_cell("So $0.1 + 0.3$.\n\n## Next\n\nAnd $0.2 + 0.31$.")
    cut.id = "text-cut"

    listed = 'from = {"It is 0.51" = "#text-cut"}'

    assert traced(cut, *FAR[1:], "It is 0.51.", listed=listed) == "listed"


def test_a_link_to_another_page_of_the_book_is_followed(traced, book):
    other = new_notebook(cells=[printed("0.5149")])
    other.cells[0].id = "cell"
    write_notebook(book / "book" / "part" / "other.ipynb", other)
    address = f"{pages_url(book)}part/other.html"

    assert traced(f"See [it]({address}), 0.51.") == "linked"
    assert traced(f"See [it]({address}), 0.52.") == ""


def test_whole_numbers_matter_where_an_output_is_read_aloud(book):
    path = book / "book" / "part" / "page.ipynb"
    cells = ["A width of 64.", printed("37"), "It is 38.\n\nOthers have 39."]
    made = [c if hasattr(c, "cell_type") else new_markdown_cell(c) for c in cells]

    page = Page(new_notebook(cells=made), path)

    assert [one.number.text for one in page.traced()] == ["38"]


def test_a_description_must_agree_with_its_figure(book):
    cell = printed("37")
    cell.metadata["mystnb"] = {"image": {"alt": "It ends at 38."}}

    page = Page(new_notebook(cells=[cell]), book / "book" / "part" / "page.ipynb")

    assert [one.source for one in page.traced()] == [""]
