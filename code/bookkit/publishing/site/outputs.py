"""Let long lines of code and of outputs wrap on a narrow page.

A phone has room for about forty letters. A line of code that may be longer stands in a
part of its own, which knows how far it is indented: the style lets it go on below,
further in. It breaks at spaces, and behind a sign where what stands without one is too
long for the phone, so that no name is in two rows, and no minus is parted from what it
belongs to. The text stays letter for letter, also for who copies it.

Of an output a phone would mostly cut the number. Lines that a chapter has wrapped
already stand in one part, and flow together. A matrix would fall apart: its letters are
as small as its rows need, and it scrolls beyond; so are those of rows that then fit.
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
# So many letters still fit into a line of smaller ones; two lines are two texts.
SMALL, TWO = 40, 2
# What a check says of an answer is a sentence of so many letters a line.
HINT, HINT_WIDTH = "Not yet: ", 80
# Where a chapter breaks a sentence that it prints. A number ends a row, a hyphen takes
# no space.
LINE_WIDTH, NO_SENTENCE, STOPS = 76, "0123456789%).-", ".?!"
# What the narrowest phones have room for.
LONG = 34
LANGUAGES = "ipython3|python|sh"
CODE = re.compile(
    rf'(?P<start><div class="highlight-(?:{LANGUAGES})[^"]*">'
    r'<div class="highlight"><pre)>(?P<empty><span></span>)?(?P<text>.*?)</pre>',
    re.S,
)
FURTHER_IN = 4  # what goes on below
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


def has_columns(text: str) -> bool:
    """Return whether a text is a matrix, or has rows that fit in smaller letters."""
    lines = text.splitlines()
    fits = LONG < max(map(len, lines), default=0) <= SMALL
    return bool(MATRIX.search(text)) or (fits and len(lines) > TWO)


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


def mark_long_lines(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the code and the outputs of a page that may wrap."""
    if app.builder.format == "html" and "body" in context:
        context["body"] = wrap_lines(wrap_code(context["body"]))


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", mark_long_lines)
