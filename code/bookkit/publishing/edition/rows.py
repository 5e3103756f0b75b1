"""Lay out printed tables for devices, which do not scroll: each row is one part.

A row that is too long goes on below, further in, and on a small page its last columns
stand there, where the site has marked them for its own narrow pages. Where the letters
are large even that has no room: then all rows of a table are parted between the same
cells, and their numbers stay below one another.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from lxml.html import HtmlElement, builder

from bookkit.publishing.columns import find_cells, find_width

# What stands below on a narrow page, and the gap before it.
_MARKS = ("gap", "below")
_SENTENCE = "line flows"
_LONG = 22  # letters: what a phone has room for where they are twice as large
Piece = tuple[str, str]


def mark_rows(table: HtmlElement) -> None:
    """Put each row of a printed table into a part of its own, with its cells."""
    rows: list[list[Piece]] = [[]]
    for mark, text in _list_pieces(table):
        # A sentence of several lines is one.
        lines = [text] if mark == _SENTENCE else text.splitlines(keepends=True)
        for words in lines:
            rows[-1].append((mark, words))
            if words.endswith("\n"):
                rows.append([])
    rows = [row for row in rows if row]
    texts = list(map(_read, rows))
    table.text = None
    table[:] = map(_write, rows, find_cells(texts))
    table.classes.add("rows")
    letters = find_width(texts)
    style = filter(None, (table.get("style"), f"--letters: {letters}"))
    table.set("style", "; ".join(style))


def _list_pieces(table: HtmlElement) -> Iterator[Piece]:
    """List the marks of a table, each with its words, and the words between them."""
    yield "", table.text or ""
    for part in table:
        name = part.get("class", "")
        mark = name if name in {*_MARKS, _SENTENCE} else ""
        yield mark, part.text_content()
        yield "", part.tail or ""


def _read(row: list[Piece]) -> str:
    """Read a row; a sentence that flows is none."""
    return "".join(words for mark, words in row if mark != _SENTENCE).rstrip("\n")


def _write(row: list[Piece], starts: Iterable[int]) -> HtmlElement:
    if row[0][0] == _SENTENCE:
        return builder.SPAN(row[0][1], builder.CLASS(_SENTENCE))
    starts = sorted({*starts, len(_read(row).rstrip())})
    parts, end = [], 0
    for mark, words in row:
        start, end = end, end + len(words)
        places = [place - start for place in starts if start < place < end]
        cells = _write_cells(words, places)
        parts += [builder.SPAN(builder.CLASS(mark), *cells)] if mark else cells
    return builder.SPAN(builder.CLASS("line"), *parts)


def _write_cells(words: str, places: list[int]) -> list[HtmlElement | str]:
    """Write the cells of a piece of a row; one that may not fit a page may break."""
    texts = [words[start:end] for start, end in pairwise([0, *places, len(words)])]
    return [
        text
        if text.isspace() or len(text) > _LONG
        else builder.SPAN(text, builder.CLASS("cell"))
        for text in texts
    ]
