"""Let the lines of an output wrap on a narrow page, unless they are a table.

A phone has room for about forty letters, and what it cuts is mostly the number. So each
line of an output stands in a part of its own, which the style wraps and indents there.
Lines that a chapter has wrapped already stand in one part, and flow together.
Columns would fall apart: those of a table stay, and `columns` makes room for them.
"""

import re
from html import unescape
from itertools import pairwise
from typing import Any

from sphinx.application import Sphinx

from bookkit.publishing.columns import find_width, fit_table, goes_on
from bookkit.publishing.cuts import ROOM

OUTPUT = re.compile(
    r'(?P<start><div class="output [^"]*highlight-[^"]*"><div class="highlight"><pre)>'
    r"(?P<empty><span></span>)?(?P<text>.*?)</pre>",
    re.S,
)
TAG = re.compile(r"<[^>]*>")
# Two gaps or more make columns; after the end of a sentence there is no gap.
GAP = re.compile(r"(?<=[^\s.!?…]) {2,}(?=\S)")
MATRIX = re.compile(r"\[\[.*\n\s*\[")
# Rows of as many numbers each, below one another.
NUMBERS = re.compile(r"(?: +[-+]?[\d.,]*\d%?){2,}$")
MATRIX_ROW = re.compile(r"\[\[|^ *\[")
VECTOR = re.compile(r"\[[^\[\]\n]*\]")
CHANGED = re.compile(r"^[+-] *", re.M)
# A text that a chapter prints goes on so far in, where its next word has no room.
WIDTH = 66
GOES_ON = re.compile(r" {4}(?P<word>\S+)")
# What a check says of an answer is a sentence of so many letters a line.
HINT, HINT_WIDTH = "Not yet: ", 80


def is_table(text: str) -> bool:
    """Return whether the places of words in a text say something: it has columns."""
    lines = text.splitlines()
    if MATRIX.search(text) or any(len(GAP.findall(line)) > 1 for line in lines):
        return True
    rows = [match and len(match[0].split()) for match in map(NUMBERS.search, lines)]
    return any(row and row == below for row, below in pairwise(rows))


def needs_columns(text: str) -> bool:
    """Return whether a table falls apart where its rows wrap.

    The gaps within a vector, or behind the sign of a changed line, are none of a table,
    and rows without any gap are sentences. As long as they have room they stay in line.
    """
    lines = VECTOR.sub("[]", CHANGED.sub("", text) if is_change(text) else text)
    return is_table(lines) and bool(GAP.search(lines))


def is_change(text: str) -> bool:
    """Return whether a text shows which lines went and which came."""
    return all(line[:1] in ("+", "-") for line in text.splitlines())


def is_whole(text: str) -> bool:
    """Return whether a text has lines that must stay as they are: changes, matrices."""
    lines = text.splitlines() if MATRIX.search(text) else []
    return is_change(text) or any(
        len(line) > ROOM for line in lines if MATRIX_ROW.search(line)
    )


def wrap_lines(body: str) -> str:
    """Mark the lines of the outputs of a page that may wrap; their text stays."""

    def change(match: re.Match[str]) -> str:
        start, empty = match["start"], match["empty"] or ""
        text = unescape(TAG.sub("", match["text"]))
        letters, marked = find_width(text.splitlines()), match["text"]
        is_columns = is_table(text)
        if is_columns and not (TAG.search(marked) or is_whole(text)):
            letters, marked = fit_table(marked)
        if is_columns and (letters <= ROOM or needs_columns(text)):
            columns = f'class="columns" style="--columns: {letters}"'
            return f"{start} {columns}>{empty}{marked}</pre>"
        lines = match["text"].splitlines(keepends=True)
        marked = "".join(map(mark_part, join_lines(lines)))
        return f'{start} class="wraps">{empty}{marked}</pre>'

    return OUTPUT.sub(change, body)


def join_lines(lines: list[str]) -> list[list[str]]:
    """Put lines together that are one text, wrapped where the chapter printed it."""
    parts: list[list[str]] = []
    above = ""
    for line in lines:
        text = unescape(TAG.sub("", line)).rstrip("\n")
        if parts and any(
            rule(above, text) for rule in (goes_further_in, goes_on, is_told_further)
        ):
            parts[-1].append(line)
        else:
            parts.append([line])
        above = text
    return parts


def goes_further_in(above: str, text: str) -> bool:
    """Return whether a line goes on with the text above, a little further in."""
    match = GOES_ON.match(text)
    return match is not None and len(above) + 1 + len(match["word"]) > WIDTH


def is_told_further(above: str, text: str) -> bool:
    """Return whether a line goes on with the hint above, which had no room for it."""
    word = text.partition(" ")[0]
    is_full = len(above) + 1 + len(word) > HINT_WIDTH
    return above.startswith(HINT) and not above.endswith("-") and bool(word) and is_full


def mark_part(lines: list[str]) -> str:
    """Mark lines that are one text."""
    flows = " flows" * (len(lines) > 1)
    return f'<span class="line{flows}">{"".join(lines)}</span>'


def mark_outputs(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the outputs of a page that may wrap."""
    if app.builder.format == "html" and "body" in context:
        context["body"] = wrap_lines(context["body"])


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", mark_outputs)
