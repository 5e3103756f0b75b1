"""Let tables fit a page: names break between words, and letters are as small as needed.

The site lays tables of phrases out as cards, and those of facts as lists. Others keep
their columns on a reading device too, which does not scroll.
"""

import re

from lxml.html import HtmlElement, builder

from bookkit.book.chinese import SIGNS

# Where a name of code may break, and on a small page before each word of CamelCase.
_JOINTS = re.compile(r"(?<=[_./])(?=\w)")
_ENDS = re.compile(r"[ \n\t\u200b]+|(?<=\w-)(?=\w)")
_SIGN = 0.66  # em, the width of a sign
_BETWEEN = 1.5  # signs, between two columns
_WIDER = 1.15  # a letter of code than another one
_ALL_JOINTS = re.compile(rf"{_JOINTS.pattern}|(?<=[a-z])(?=[A-Z])")


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
    """Say how wide each table with columns is, for the size of its letters."""
    for table in article.iter("table"):
        if not {"cards", "facts"} & set(table.classes):
            width = _SIGN * _find_width(table)
            table.set("style", f"--width: {width:.1f}")  # for epub.css


def _find_width(table: HtmlElement) -> float:
    """Return how many signs stand beside one another in a table, at the least."""
    rows = [row.xpath("./td | ./th") for row in table.iter("tr")]
    columns = zip(*rows, strict=False)
    return sum(max(map(_find_longest, cells)) + _BETWEEN for cells in columns)


def _find_longest(cell: HtmlElement) -> float:
    """Return the length of the longest part of a cell that does not break."""
    words = _read(cell)
    parts = [words] if "text-right" in cell.classes else _ENDS.split(words)
    wider = _WIDER if cell.find(".//code") is not None else 1
    return wider * max(len(part.strip()) + len(SIGNS.findall(part)) for part in parts)


def _read(element: HtmlElement) -> str:
    """Read an element, with an end of line where it may break."""
    if element.tag == "wbr":
        return "\n"
    inside = "".join(_read(part) + (part.tail or "") for part in element)
    return (element.text or "") + inside
