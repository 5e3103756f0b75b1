"""Let the lines of an output wrap on a narrow page, unless they are a table.

A phone has room for about forty letters, and what it cuts is mostly the number. So each
line of an output stands in a part of its own, which the style wraps and indents there.
Columns would fall apart: those of a table or a matrix still scroll.
"""

import re
from html import unescape
from itertools import pairwise
from typing import Any

from sphinx.application import Sphinx

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


def is_table(text: str) -> bool:
    """Return whether the places of words in a text say something: it has columns."""
    lines = text.splitlines()
    if MATRIX.search(text) or any(len(GAP.findall(line)) > 1 for line in lines):
        return True
    rows = [match and len(match[0].split()) for match in map(NUMBERS.search, lines)]
    return any(row and row == below for row, below in pairwise(rows))


def wrap_lines(body: str) -> str:
    """Mark the lines of the outputs of a page that may wrap; their text stays."""

    def change(match: re.Match[str]) -> str:
        if is_table(unescape(TAG.sub("", match["text"]))):
            return match.group()
        lines = match["text"].splitlines(keepends=True)
        marked = "".join(f'<span class="line">{line}</span>' for line in lines)
        return f'{match["start"]} class="wraps">{match["empty"] or ""}{marked}</pre>'

    return OUTPUT.sub(change, body)


def mark_outputs(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the outputs of a page that may wrap."""
    if app.builder.name == "html" and "body" in context:
        context["body"] = wrap_lines(context["body"])


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", mark_outputs)
