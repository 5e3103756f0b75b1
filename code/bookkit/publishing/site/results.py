"""Make tables of the page of the tables that a chapter shows as results.

Jupyter keeps such a table as HTML (`chapters.tables`). As a table of the page it
looks like all others, is found by the search, and becomes a list of cards on a phone.
"""

import re

from docutils import nodes
from lxml import html
from sphinx.application import Sphinx

from bookkit.book.cells import RESULT

RIGHT, WHOLE = "text-align: right", "whole"
NUMBER = re.compile(r"[-+]?\d[^;]{0,24}")
QUOTED = re.compile(r"'.*'|\".*\"", re.DOTALL)


def set_results(app: Sphinx, doctree: nodes.document) -> None:
    """Put a table into the place of each result that is one."""
    for raw in [*doctree.findall(nodes.raw)]:
        if raw.astext().startswith(RESULT):
            raw.replace_self(build_table(raw.astext()))


def build_table(source: str) -> nodes.table:
    """Return the table that a piece of HTML describes."""
    rows = html.fragment_fromstring(source).findall(".//tr")
    head, *others = (nodes.row("", *map(build_entry, row)) for row in rows)
    group = nodes.tgroup("", cols=len(head))
    group += [nodes.colspec(colwidth="auto") for _ in head]
    group += [nodes.thead("", head), nodes.tbody("", *others)]
    return nodes.table("", group, classes=["result", "colwidths-auto"])


def build_entry(cell: html.HtmlElement) -> nodes.entry:
    """Return a cell: numbers stand to the right, and what begins with one is whole.

    A list of numbers has semicolons and may break, and so may a long sum. A text
    between quotation marks stands as Python shows it, with its line ends.
    """
    text = cell.text_content()
    kind = nodes.literal if QUOTED.fullmatch(text) else nodes.inline
    entry = nodes.entry("", nodes.paragraph("", "", kind("", text)))
    if NUMBER.fullmatch(text):
        entry["classes"].append(WHOLE)
    if RIGHT in cell.get("style", ""):
        entry["classes"].append("text-right")
    return entry


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("doctree-read", set_results)
