"""Cut a notebook into passages of prose, each with what stands near it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from operator import or_

from nbformat import NotebookNode

from bookkit.book.boxes import FIGURE, read_box
from bookkit.book.cells import heading_slug
from bookkit.book.notebooks import cell_name
from bookkit.book.prose import anchors
from bookkit.checking.numbers.said import Found, Number, numbers_in
from bookkit.checking.numbers.shown import shown_by
from bookkit.checking.numbers.worked import Worked, worked_in

_HEADING = re.compile(r"^(?:<a [^\n]*</a>\n+)?#{1,3} (?P<words>[^\n]+)$", re.M)
_FENCED = re.compile(r"^```.*?^```", re.M | re.S)
BEFORE, AFTER = 2, 1  # code cells of its section that are near a passage


@dataclass
class Passage:
    """A stretch of prose within one cell and one section.

    Args:
        name: The name of the cell.
        text: What it says.
        numbers: Those of its numbers that must come from somewhere.
        worked: What its formulas come to.
        section: The number of its section.
        near: The numbers of the code cells around it, and of its formulas.
    """

    name: str
    text: str
    numbers: list[Number]
    worked: Worked
    section: int = 0
    near: Found = field(default_factory=Found)


@dataclass
class Section:
    """What stands between two headings.

    Args:
        names: The labels and headings to which a link may lead.
        passages: Its prose.
        shown: The numbers of its code cells and its formulas.
        cells: The same, cell by cell, under the names that the notebook gives them.
    """

    names: set[str] = field(default_factory=set)
    passages: list[Passage] = field(default_factory=list)
    shown: Found = field(default_factory=Found)
    cells: dict[str, Found] = field(default_factory=dict)


def sections_of(notebook: NotebookNode) -> list[Section]:
    """Cut a notebook into its sections."""
    parts: list[list[tuple[Passage | None, Found]]] = [[]]
    sections = [Section()]
    for index, cell in enumerate(notebook.cells):
        name = cell_name(notebook, index)
        if cell.cell_type == "code":
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            shown = shown_by(cell)
            parts[-1].append((None, shown))
            sections[-1].cells[cell.id] = shown
            if alt:
                sections[-1].passages.append(_passage(name, alt, True, shown))
            continue
        for begins, text in _pieces(cell.source):
            if begins:
                sections.append(Section())
                parts.append([])
            slugs = (heading_slug(match["words"]) for match in _HEADING.finditer(text))
            sections[-1].names |= {*anchors(text), *slugs}
            counts = _reads_aloud(notebook, index) and not begins
            passage = _passage(name, text, counts)
            sections[-1].passages.append(passage)
            own = Found(passage.worked.values)
            parts[-1].append((passage, own))
            sections[-1].cells[cell.id] = own
    for number, (section, pieces) in enumerate(zip(sections, parts, strict=True)):
        section.shown = reduce(or_, (own for _, own in pieces), Found())
        for passage in section.passages:
            passage.section = number
        for place, (passage, own) in enumerate(pieces):
            if passage:
                before = [shown for other, shown in pieces[:place] if other is None]
                after = [shown for other, shown in pieces[place:] if other is None]
                passage.near = reduce(or_, before[-BEFORE:] + after[:AFTER], own)
    return sections


def _pieces(source: str) -> Iterator[tuple[bool, str]]:
    """Cut a cell at its headings; yield whether a heading begins the piece."""
    plain = _FENCED.sub(lambda match: " " * len(match[0]), source)
    starts = [match.start() for match in _HEADING.finditer(plain)]
    if not starts or starts[0] > 0:
        yield False, source[: starts[0] if starts else None]
    for start, end in pairwise([*starts, None]):
        yield True, source[start:end]


def _reads_aloud(notebook: NotebookNode, index: int) -> bool:
    """Say whether a cell is a caption, or stands right below what is printed."""
    box = read_box(notebook.cells[index].source)
    if box and box.kind == FIGURE:
        return True
    above = notebook.cells[index - 1] if index else None
    if above is None or above.cell_type != "code":
        return False
    return any(
        output.get("text") or "text/html" in output.get("data", {})
        for output in above.get("outputs", [])
    )


def _passage(name: str, text: str, counts: bool, near: Found | None = None) -> Passage:
    """Read a passage; of whole numbers only those about an output."""
    aloud = text.find("\n\n")  # only the paragraph right below an output is about it
    if near is not None or "**Figure" in text or aloud <= 0:
        aloud = len(text)
    numbers = [
        number
        for number in numbers_in(text)
        if number.decimal or number.counted or (counts and number.begin < aloud)
    ]
    return Passage(name, text, numbers, worked_in(text), near=near or Found())
