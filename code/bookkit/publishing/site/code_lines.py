"""Let long lines of code wrap on a narrow page, with a mark that says so.

A phone has room for about forty letters. A line that may be longer stands in a part of
its own, which knows how far it is indented: the style lets it go on below, further in.
It breaks at spaces, and behind a sign where what stands without one is too long for the
phone, so that no name is in two rows, and no minus is parted from what it belongs to.
The text stays letter for letter what the author wrote, also for who copies it.
"""

import re
from html import unescape
from typing import Any

from sphinx.application import Sphinx

# What the narrowest phones have room for.
LONG = 34
LANGUAGES = "ipython3|python|sh"
CODE = re.compile(
    rf'(?P<start><div class="highlight-(?:{LANGUAGES})[^"]*">'
    r'<div class="highlight"><pre)>(?P<empty><span></span>)?(?P<text>.*?)</pre>',
    re.S,
)
FURTHER_IN = 4  # what goes on below
TAG = re.compile(r"<[^>]*>")
NUMBER = re.compile(r'<span class="linenos">([^<]*)</span>')
WORD = re.compile(r"\S+")
SIGN = re.compile(r"[(\[{,=](?=\S)|[./](?=[^\W\d])")
# A minus, which is a token or in one, and what it stands before: a browser would break
# the line between them, unless that is a number.
MINUS = re.compile(
    r'<span class="o">[^<]*-</span><span class="\w+">[^<\s\d]+</span>'
    r"|-+(?:&gt;|[^-<\s\d&])(?![^<]*>)"
)
KEPT = '<span class="keep">'
PIECE = re.compile(r"(?P<tag><[^>]*>)|&\w+;|&#\w+;|.", re.S)


def mark_code(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the long lines of code of a page."""
    if app.builder.format == "html" and "body" in context:
        context["body"] = wrap_code(context["body"])


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", mark_code)


def wrap_code(body: str) -> str:
    """Mark the long lines of code of a page; their text stays."""

    def change(match: re.Match[str]) -> str:
        lines = match["text"].splitlines(keepends=True)
        marked = [mark_line(line) for line in lines]
        if marked == lines:
            return match.group()
        empty = match["empty"] or ""
        return f'{match["start"]} class="wraps">{empty}{"".join(marked)}</pre>'

    return CODE.sub(change, body)


def mark_line(line: str, room: int = LONG) -> str:
    """Put a line into a part of its own, with its indent, if it has no room."""
    text = unescape(TAG.sub("", line)).rstrip("\n")
    if len(text) <= room:
        return line
    number = NUMBER.search(line)
    before = len(number[1]) if number else 0
    indent = len(text) - len(text[before:].lstrip(" "))
    line = let_break(line, find_breaks(text, LONG - FURTHER_IN - indent))
    line = MINUS.sub(rf"{KEPT}\g<0></span>", line)
    return f'<span class="line" style="--indent: {indent}ch">{line}</span>'


def find_breaks(text: str, room: int) -> set[int]:
    """Find the places behind signs in the words of a line that have no room."""
    return {
        word.start() + sign.end()
        for word in WORD.finditer(text)
        if len(word[0]) > room
        for sign in SIGN.finditer(word[0])
    }


def let_break(line: str, places: set[int]) -> str:
    """Let a line break at places, which count the letters that a reader sees."""
    pieces, seen = [], 0
    for piece in PIECE.finditer(line) if places else ():
        pieces.append(piece[0])
        if not piece["tag"]:
            seen += 1
            if seen in places:
                pieces.append("<wbr>")
    return "".join(pieces) or line
