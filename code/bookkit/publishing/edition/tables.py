"""Fit the tables of a page to a small device, which shows no columns beside its page.

The site lays tables of phrases out as cards. Others may have columns of names and
numbers that are too wide all the same: there letters become smaller, as far as they can
still be read, and a table that would need more shows each row as a list of facts.
"""

import re
from copy import deepcopy

from lxml.html import HtmlElement, builder

# Where a name of code may break, and on a small page before each word of CamelCase.
_JOINTS = re.compile(r"(?<=[_./])(?=\w)")
_ALL_JOINTS = re.compile(rf"{_JOINTS.pattern}|(?<=[a-z])(?=[A-Z])")
_ARE_CARDS = "contains(concat(' ', @class, ' '), ' cards ')"
_TABLES = f".//table[thead][not({_ARE_CARDS})]"
_ARE_FACTS = ".//table[contains(concat(' ', @class, ' '), ' facts ')]"
# Cells of cards with no name of a column before them.
_UNNAMED = f".//table[{_ARE_CARDS}]//td[not(*[@class='column'])]"
# Signs of the longest words of all columns beside one another.
_ROOM = 44  # with the letters of other tables
_LEAST_ROOM = 54  # with the smallest ones
_BETWEEN = 2  # columns
_WIDER = 1.15  # a letter of code than another one
_TIGHT, _FACTS, _COLUMN, _WHOLE = "tight", "facts", "column", "whole"
_ENDS = re.compile(r"[ \n\t\u200b]+|(?<=\w-)(?=\w)")


def let_names_break(article: HtmlElement, *, on_small_pages: bool = False) -> None:
    """Let a long name in a table break between its words, rather than anywhere."""
    joints = _ALL_JOINTS if on_small_pages else _JOINTS
    for name in article.xpath(".//td//code//text()/.."):
        first, *words = joints.split(name.text or "")
        name.text = first
        for place, word in enumerate(words):
            joint = builder.WBR()
            joint.tail = word
            name.insert(place, joint)


def fit_tables(article: HtmlElement) -> None:
    """Mark the tables that have no room on a small page, by what they need there."""
    for table in article.xpath(_ARE_FACTS):  # on a phone, which has other letters
        table.classes.discard(_FACTS)
        for name in table.find_class(_COLUMN):
            name.drop_tree()
    for cell in article.xpath(_UNNAMED):
        cell.classes.add(_WHOLE)
    for table in article.xpath(_TABLES):
        width = _find_width(table)
        if width > _LEAST_ROOM:
            table.classes.add(_FACTS)
            _name_cells(table)
        elif width > _ROOM:
            table.classes.add(_TIGHT)


def _find_width(table: HtmlElement) -> float:
    """Return how many letters stand beside one another in a table, at the least."""
    rows = [row.xpath("./td | ./th") for row in table.iter("tr")]
    columns = zip(*rows, strict=False)
    return sum(max(map(_find_longest, cells)) + _BETWEEN for cells in columns)


def _find_longest(cell: HtmlElement) -> float:
    """Return the length of the longest part of a cell that does not break."""
    words = _read(cell)
    parts = [words] if "text-right" in cell.classes else _ENDS.split(words)
    wider = _WIDER if cell.find(".//code") is not None else 1
    return wider * max(len(part.strip()) for part in parts)


def _read(element: HtmlElement) -> str:
    """Read an element, with an end of line where it may break."""
    if element.tag == "wbr":
        return "\n"
    inside = "".join(_read(part) + (part.tail or "") for part in element)
    return (element.text or "") + inside


def _name_cells(table: HtmlElement) -> None:
    """Put before what each cell holds the name of its column.

    The first cell is the title of its row, and an empty one says nothing.
    """
    names = table.xpath("./thead/tr[1]/*")
    for row in table.xpath("./tbody/tr"):
        for name, cell in list(zip(names, row, strict=False))[1:]:
            if _read(cell).strip():
                _put(name, cell)
            else:
                cell.text = None


def _put(head: HtmlElement, cell: HtmlElement) -> None:
    words = deepcopy(head[0] if len(head) and head[0].tag == "p" else head)
    name = builder.SPAN(words.text or "", *words, builder.CLASS(_COLUMN))
    # Within the paragraph of a cell, if it has one.
    place = cell[0] if len(cell) and cell[0].tag == "p" else cell
    name.tail, place.text = f" {place.text or ''}", None
    place.insert(0, name)
