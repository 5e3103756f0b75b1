"""Lay out printed tables for devices, which do not scroll: each row is one part.

A row that is too long goes on below, further in, and on a small page its last columns
stand there, where the site has marked them for its own narrow pages.
"""

from collections.abc import Iterator

from lxml.html import HtmlElement, builder

# What stands below on a narrow page, and the gap before it.
_MARKS = ("gap", "below")
_SENTENCE = "line flows"
Piece = tuple[str, str]


def mark_rows(table: HtmlElement) -> None:
    """Put each row of a printed table into a part of its own."""
    rows: list[list[Piece]] = [[]]
    for mark, text in _list_pieces(table):
        # A sentence of several lines is one.
        lines = [text] if mark == _SENTENCE else text.splitlines(keepends=True)
        for words in lines:
            rows[-1].append((mark, words))
            if words.endswith("\n"):
                rows.append([])
    table.text = None
    table[:] = [_write(row) for row in rows if row]
    table.classes.add("rows")


def _list_pieces(table: HtmlElement) -> Iterator[Piece]:
    """List the marks of a table, each with its words, and the words between them."""
    yield "", table.text or ""
    for part in table:
        name = part.get("class", "")
        mark = name if name in {*_MARKS, _SENTENCE} else ""
        yield mark, part.text_content()
        yield "", part.tail or ""


def _write(row: list[Piece]) -> HtmlElement:
    if row[0][0] == _SENTENCE:
        return builder.SPAN(row[0][1], builder.CLASS(_SENTENCE))
    pieces = [
        builder.SPAN(words, builder.CLASS(mark)) if mark else words
        for mark, words in row
    ]
    return builder.SPAN(builder.CLASS("line"), *pieces)
