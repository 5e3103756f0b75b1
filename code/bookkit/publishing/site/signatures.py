"""Write long signatures as lines of a box, not as a list of definitions.

Sphinx writes each parameter of a long signature as the definition of nothing: a list
without terms, which a screen reader announces and the standard for accessible pages
forbids. A plain box for each line looks the same.
"""

import re
from collections.abc import Callable

from docutils.nodes import Element
from sphinx.addnodes import desc_parameter, desc_parameterlist
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

LIST_TAG = re.compile(r"(</?)d[ld]\b")
# On paper a signature runs on like a sentence, without the comma behind the last line.
COMMA = '<span class="sig-comma">,</span>'


def in_boxes(
    write: Callable[[HTML5Translator, Element], None],
) -> Callable[[HTML5Translator, Element], None]:
    """Change what a method writes: boxes take the place of lists of definitions."""

    def write_boxes(self: HTML5Translator, node: Element) -> None:
        start = len(self.body)
        write(self, node)
        self.body[start:] = [in_box(part) for part in self.body[start:]]

    return write_boxes


def in_box(part: str) -> str:
    """Make a box of a part of a list; the end of its line is that of the box."""
    part = LIST_TAG.sub(r"\1div", part).strip("\n")
    return COMMA if part == "," else part


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    for node in (desc_parameterlist, desc_parameter):
        name = node.__name__
        visit = in_boxes(getattr(HTML5Translator, f"visit_{name}"))
        depart = in_boxes(getattr(HTML5Translator, f"depart_{name}"))
        app.add_node(node, html=(visit, depart), override=True)
