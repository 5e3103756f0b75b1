"""The page of fifteen sentences says what is right, what is heard, and where."""

import re
from pathlib import Path

from docutils.nodes import make_id

from bookkit.book.anchors import anchors
from bookkit.book.cells import headings, markdown_cells
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.book.numbering import numbers
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))
PAGE = ROOT / "book/appendix/misconceptions.md"
LINE = re.compile(r"^(?P<number>\d+)\. (?P<words>\*\*.+)$", re.MULTILINE)
LINES = list(LINE.finditer(PAGE.read_text("utf-8")))
LINK = re.compile(r" \[[^]]+\]\((?P<page>[^)#\s]*)#(?P<anchor>[^)\s]+)\)\.$")


def parts(file):
    """Collect the anchors of a notebook and of its headings."""
    texts = [cell.source for _, cell in markdown_cells(read_notebook(file))]
    titles = {make_id(title) for text in texts for title in headings(text)}
    return titles | {label for text in texts for label in anchors(text)}


def test_there_are_fifteen_numbered_in_order():
    assert [int(found["number"]) for found in LINES] == list(range(1, 16))


@facts("found", LINES, ids=lambda found: found["number"])
def test_a_line_says_what_is_right_then_what_is_heard_then_where(found):
    words = found["words"]
    assert re.match(r"\*\*[^*]+\.\*\* ", words)
    assert words.count(" Heard: ") == 1
    link = LINK.search(words)
    page, anchor = link["page"], link["anchor"]
    file = (PAGE.parent / page) if page else ROOT / numbers(ROOT)[anchor].file
    assert anchor in parts(file.resolve())


def test_the_landing_page_leads_to_it():
    assert "(appendix/misconceptions.md)" in (ROOT / "book/index.md").read_text("utf-8")
