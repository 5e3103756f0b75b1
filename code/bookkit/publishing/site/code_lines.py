"""Let long lines of code wrap on a narrow page, with a mark that says so.

A phone has room for about forty letters. A line that may be longer stands in a part of
its own, which knows how far it is indented: the style lets it go on below, further in.
The text stays letter for letter what the author wrote, also for who copies it.
"""

import re
from html import unescape
from typing import Any

from sphinx.application import Sphinx

# What the narrowest phones have room for.
LONG = 34
CODE = re.compile(
    r'(?P<start><div class="highlight-(?:ipython3|python)[^"]*">'
    r'<div class="highlight"><pre)>(?P<empty><span></span>)?(?P<text>.*?)</pre>',
    re.S,
)
TAG = re.compile(r"<[^>]*>")


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


def mark_line(line: str) -> str:
    """Put a line into a part of its own, with its indent, if it is long."""
    text = unescape(TAG.sub("", line)).rstrip("\n")
    if len(text) <= LONG:
        return line
    indent = len(text) - len(text.lstrip(" "))
    return f'<span class="line" style="--indent: {indent}ch">{line}</span>'


def mark_code(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mark the long lines of code of a page."""
    if app.builder.name == "html" and "body" in context:
        context["body"] = wrap_code(context["body"])


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("html-page-context", mark_code)
