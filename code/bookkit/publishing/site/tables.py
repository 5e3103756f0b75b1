"""Make tables of results that are some, and prepare all tables for a narrow page.

A table of many columns scrolls on a phone. There a phrase needs room, as it would
stand one word below another otherwise, and a number needs none. Where most columns
hold phrases, and a row is longer than a line, no column has the room it needs.
There each row becomes a card: its cells stand one below the other, each behind the
name of its column. So does a row of many columns that is alone, and each row of
phrases beside names of code, which do not break, where the longest words have no
room beside one another. Where most columns hold numbers, a row that has no room becomes
a list of facts, which flow below what the row is about. A cell that is empty, or holds
a dash, has no line of its own in either.

Jupyter keeps a result that is a table as HTML (`chapters.tables`). As a table of the
page it looks like all others, and is found by the search.
"""

import re

from docutils import nodes
from lxml import html
from sphinx.application import Sphinx

from bookkit.book.cells import RESULT

PHRASE, CARDS, FACTS, COLUMN, EMPTY = "phrase", "cards", "facts", "column", "empty"
# Letters, spaces included, that still stand well in a narrow column.
LONGEST_WORDS = 18
FEW_COLUMNS = 3  # for which a phone has room, also for phrases
LINE = 50  # letters
MANY_COLUMNS = 6  # for a row that is alone
LONGEST_SIDE_BY_SIDE = 38  # letters of the longest words of all columns together
MOST_SIDE_BY_SIDE = 39  # the same, where there are few phrases or none
WIDER = 1.15  # a letter of code than another one
FORMULA = 6  # letters, about, whatever its source says
RIGHT, WHOLE = "text-align: right", "whole"
NUMBER = re.compile(r"[-+]?\d[^;]{0,24}")
QUOTED = re.compile(r"'.*'|\".*\"", re.DOTALL)


def prepare_tables(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Mark the cells of a page's tables that need room, and name those of cards."""
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) > LONGEST_WORDS:
            cell["classes"].append(PHRASE)
    for table in doctree.findall(nodes.table):
        head, rows = read_rows(table)
        if not head:
            continue
        if is_too_wide(head, rows):
            table["classes"].append(CARDS)
            for row in rows:
                name_cells(head, row)
        elif has_many_facts(head, rows):
            table["classes"].append(FACTS)
            for row in rows:
                name_facts(head, row)


def read_rows(table: nodes.table) -> tuple[list[nodes.entry], list[list[nodes.entry]]]:
    """Return the cells of the head of a table, none without one, and of its rows."""
    rows = [
        (list(row.children), isinstance(row.parent, nodes.thead))
        for row in table.findall(nodes.row)
    ]
    heads = [row for row, is_head in rows if is_head]
    return heads[0] if heads else [], [row for row, is_head in rows if not is_head]


def is_too_wide(head: list[nodes.entry], rows: list[list[nodes.entry]]) -> bool:
    """Return whether a narrow page has no room for the columns of a table."""
    if len(rows) == 1 and len(head) >= MANY_COLUMNS:
        return True
    columns = [*zip(head, *rows, strict=True)]
    of_phrases = sum(any(PHRASE in c["classes"] for c in cells) for cells in columns)
    if 2 * of_phrases <= len(head):
        return False
    longest = sum(max(map(find_longest_word, cells)) for cells in columns)
    letters = sum(len(cell.astext()) for row in rows for cell in row)
    is_long = len(head) > FEW_COLUMNS and letters > LINE * len(rows)
    return is_long or longest > LONGEST_SIDE_BY_SIDE


def has_many_facts(head: list[nodes.entry], rows: list[list[nodes.entry]]) -> bool:
    """Return whether columns of numbers and names have no room on a narrow page."""
    columns = zip(head, *rows, strict=True)
    widths = [
        max(find_longest_word(cell) * (WIDER if is_code(cell) else 1) for cell in cells)
        for cells in columns
    ]
    return len(head) > FEW_COLUMNS and sum(widths) + len(head) > MOST_SIDE_BY_SIDE


def is_code(cell: nodes.entry) -> bool:
    """Return whether a cell holds code."""
    return any(cell.findall(nodes.literal))


def find_longest_word(cell: nodes.entry) -> int:
    """Return how many letters of a cell cannot be parted."""
    if WHOLE in cell["classes"]:
        return len(cell.astext())
    if any(cell.findall(nodes.math)):
        words = cell.findall(nodes.Text)
        least = FORMULA  # whose source says nothing of its width
        texts = [text for text in words if not isinstance(text.parent, nodes.math)]
    else:
        least, texts = 0, [cell.astext()]
    return max([least, *(len(word) for text in texts for word in text.split())])


def name_cells(head: list[nodes.entry], row: list[nodes.entry]) -> None:
    """Put before what each cell holds the name of its column, if that has one."""
    for name, cell in zip(head, row, strict=True):
        if is_empty(cell):
            cell["classes"].append(EMPTY)
        if name.astext():
            cell.insert(0, nodes.paragraph("", "", *copy_words(name), classes=[COLUMN]))


def name_facts(head: list[nodes.entry], row: list[nodes.entry]) -> None:
    """Name what each cell holds, within its words; the first is what a row is about."""
    for name, cell in list(zip(head, row, strict=True))[1:]:
        if is_empty(cell):
            cell["classes"].append(EMPTY)
        elif name.astext():
            column = nodes.inline("", "", *copy_words(name), classes=[COLUMN])
            cell[0][:0] = [column, nodes.Text(" ")]


def is_empty(cell: nodes.entry) -> bool:
    """Return whether a cell says nothing."""
    return cell.astext().strip() in ("", "—")


def copy_words(name: nodes.entry) -> list[nodes.Node]:
    """Copy the words of the head of a column."""
    return [word.deepcopy() for part in name.children for word in part]


def set_results(app: Sphinx, doctree: nodes.document) -> None:
    """Put a table into the place of each result that is one."""
    for raw in [*doctree.findall(nodes.raw)]:
        if raw.astext().startswith(RESULT):
            raw.replace_self(build_table(raw.astext()))


def build_table(source: str) -> nodes.table:
    """Return the table that a piece of HTML describes."""
    rows = html.fragment_fromstring(source).findall(".//tr")
    head, *others = (nodes.row("", *map(build_entry, row)) for row in rows)
    group = nodes.tgroup("", cols=len(head))
    group += [nodes.colspec(colwidth="auto") for _ in head]
    group += [nodes.thead("", head), nodes.tbody("", *others)]
    return nodes.table("", group, classes=["result", "colwidths-auto"])


def build_entry(cell: html.HtmlElement) -> nodes.entry:
    """Return a cell: numbers stand to the right, and what begins with one is whole.

    A list of numbers has semicolons and may break, and so may a long sum. A text
    between quotation marks stands as Python shows it, with its line ends.
    """
    text = cell.text_content()
    kind = nodes.literal if QUOTED.fullmatch(text) else nodes.inline
    entry = nodes.entry("", nodes.paragraph("", "", kind("", text)))
    if NUMBER.fullmatch(text):
        entry["classes"].append(WHOLE)
    if RIGHT in cell.get("style", ""):
        entry["classes"].append("text-right")
    return entry


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("doctree-resolved", prepare_tables)
    # Before the search reads the page.
    app.connect("doctree-read", set_results, priority=400)
