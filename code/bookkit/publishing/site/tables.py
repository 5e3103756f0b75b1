"""Tell the cells of a table that hold a phrase from those that hold a word or two.

A table of many columns scrolls on a phone. There a phrase needs room, as it would stand
one word below another otherwise, and a number needs none.
"""

from docutils import nodes
from sphinx.application import Sphinx

PHRASE = "phrase"
# Letters, spaces included, that still stand well in a narrow column.
LONGEST_WORDS = 18


def mark_phrases(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Mark the cells of a page's tables that need room."""
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) > LONGEST_WORDS:
            cell["classes"].append(PHRASE)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("doctree-resolved", mark_phrases)
