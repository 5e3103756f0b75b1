"""Keep together what no line may part: a formula and its full stop, 29.7 and %.

A browser may break a line beside a formula, whatever stands there.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

KEEP = "keep"  # a class in book.css
CLOSING = re.compile("[].,;:!?…)”\N{RIGHT SINGLE QUOTATION MARK}]+")
PERCENT = re.compile(r"(?<=\d) (?=%)")
NO_BREAK = "\N{NO-BREAK SPACE}"
AS_THEY_ARE = (nodes.FixedTextElement, nodes.literal, nodes.math, nodes.raw)


def keep_punctuation(doctree: nodes.Node) -> None:
    """Put each formula into one part with the punctuation that follows it."""
    for formula in list(doctree.findall(nodes.math)):
        parent = formula.parent
        place = parent.index(formula)
        rest = parent[place + 1] if place + 1 < len(parent) else None
        marks = isinstance(rest, nodes.Text) and CLOSING.match(rest)
        if not marks:
            continue
        kept = nodes.inline("", "", formula, nodes.Text(marks[0]), classes=[KEEP])
        parent[place : place + 2] = [kept, nodes.Text(rest[marks.end() :])]


def keep_percent(doctree: nodes.Node) -> None:
    """Let no line break between a number and its percent sign."""
    for text in list(doctree.findall(nodes.Text)):
        changed = PERCENT.sub(NO_BREAK, text)
        if changed != text and not isinstance(text.parent, AS_THEY_ARE):
            text.parent.replace(text, nodes.Text(changed))


def keep_together(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Keep together what belongs together on a page."""
    if app.builder.name == "html":  # the text of an EPUB is held together later
        keep_punctuation(doctree)
    if app.builder.format == "html":
        keep_percent(doctree)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("doctree-resolved", keep_together)
