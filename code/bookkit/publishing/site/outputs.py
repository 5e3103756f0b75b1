"""Let the lines of an output wrap on a narrow page, unless they stand in columns.

A phone has room for about forty letters, and what it cuts is mostly the number. So each
line of an output stands in a part of its own, which the style wraps and indents there.
Lines that a chapter has wrapped already stand in one part, and flow together. A matrix
would fall apart: its letters are as small as its rows need, and it scrolls beyond.
Results of several rows are tables of the page (`tables`).
"""

import re
from html import unescape
from typing import Any

from sphinx.application import Sphinx

OUTPUT = re.compile(
    r'(?P<start><div class="output [^"]*highlight-[^"]*"><div class="highlight"><pre)>'
    r"(?P<empty><span></span>)?(?P<text>.*?)</pre>",
    re.S,
)
TAG = re.compile(r"<[^>]*>")
MATRIX = re.compile(r"\[\[.*\n\s*\[")
# Columns are parted by a gap in more than one line; within a vector it is none, nor
# behind the end of a sentence or the sign of a changed line.
GAP = re.compile(r"(?<=[^\s.!?…]) {2,}(?=\S)")
NO_GAP = re.compile(r"\[[^\[\]\n]*\]|^[+-] *", re.M)
# What a check says of an answer is a sentence of so many letters a line.
HINT, HINT_WIDTH = "Not yet: ", 80
# Where a chapter breaks a sentence that it prints. A number ends a row, a hyphen takes
# no space.
LINE_WIDTH, NO_SENTENCE, STOPS = 76, "0123456789%).-", ".?!"


def has_columns(text: str) -> bool:
    """Return whether the places of words in a text say something."""
    lines = NO_GAP.sub("[]", text).splitlines()
    return bool(MATRIX.search(text)) or sum(map(bool, map(GAP.search, lines))) > 1


def wrap_lines(body: str) -> str:
    """Mark the lines of the outputs of a page that may wrap; their text stays."""

    def change(match: re.Match[str]) -> str:
        start, empty, marked = match["start"], match["empty"] or "", match["text"]
        text = unescape(TAG.sub("", marked))
        if has_columns(text):
            letters = max(map(len, text.splitlines()))
            columns = f'class="columns" style="--columns: {letters}"'
            return f"{start} {columns}>{empty}{marked}</pre>"
        parts = join_lines(marked.splitlines(keepends=True))
        return f'{start} class="wraps">{empty}{"".join(map(mark_part, parts))}</pre>'

    return OUTPUT.sub(change, body)


def join_lines(lines: list[str]) -> list[list[str]]:
    """Put lines together that are one text, wrapped where the chapter printed it."""
    parts: list[list[str]] = []
    above = ""
    for line in lines:
        text = unescape(TAG.sub("", line)).rstrip("\n")
        if parts and (goes_on(above, text) or is_told_further(above, text)):
            parts[-1].append(line)
        else:
            parts.append([line])
        above = text
    return parts


def goes_on(above: str, text: str) -> bool:
    """Return whether a line goes on with the sentence that fills the line above it."""
    if not text[:1].islower():
        return False
    is_full = len(above) + 1 + len(text.split()[0]) > LINE_WIDTH
    return is_full and above[-1] not in NO_SENTENCE and text[-1] in STOPS


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
