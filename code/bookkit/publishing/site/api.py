"""Make the API pages from the docstrings of the package.

A page holds a line ``% api: transformer.zoo``, with rooms or modules; here their
objects take its place, each with its chapters and its tests. The docstrings are
written as the chapters are, with ``$...$`` for formulas and backticks for code; here
they become what Sphinx expects. Below each drawn cell of a chapter stands a link the
other way.

Sphinx writes each parameter of a long signature as the definition of nothing: a list
without terms, which a screen reader announces and the standard for accessible pages
forbids. A plain box for each line looks the same.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from docutils import nodes
from docutils.nodes import Element
from sphinx.addnodes import desc_parameter, desc_parameterlist, pending_xref
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx.writers.html5 import HTML5Translator

from bookkit.book.files import find_root
from bookkit.publishing.maps.api import index_text, page_text
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.package import PACKAGE

MARK = re.compile(r"^% api: (.+)$", re.MULTILINE)
ALL = "all"
# A display formula, a formula within a line, code: nothing is changed within them.
PARTS = re.compile(
    r"\$\$(?P<display>.+?)\$\$|\$(?P<inline>[^$]+?)\$|`(?P<code>[^`]+)`", re.DOTALL
)
# What reStructuredText would take for its own marks.
MARKS = re.compile(r"([\\*|])|(?<=\w)(_)(?!\w)")
# Objects of others have no page here.
UNKNOWN = [("py:.*", rf"(?!{PACKAGE}\.).*")]
# How Python documents the field of a named tuple.
FIELD = "Alias for field number"
SETTINGS = {
    "add_module_names": False,
    "autodoc_preserve_defaults": True,
    # One parameter a line when they do not fit into one.
    "python_maximum_signature_line_length": 72,
}
LIST_TAG = re.compile(r"(</?)d[ld]\b")
# On paper a signature runs on like a sentence, without the comma behind the last line.
COMMA = '<span class="sig-comma">,</span>'


def atlas() -> Atlas:
    """Read package, book and tests, once."""
    return read_atlas(find_root(Path(__file__)))


@cache
def page_names() -> dict[str, str]:
    """Map the last part of each exported name to the name on the API pages."""
    return {name.rpartition(".")[2]: name for name in atlas().package.exports}


def to_rst(text: str) -> str:
    """Rewrite a docstring of the book as reStructuredText."""
    parts, end = [], 0
    for match in PARTS.finditer(text):
        parts += [_escaped(text[end : match.start()]), _rewritten(match, text)]
        end = match.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return MARKS.sub(r"\\\1\2", text)


def _rewritten(match: re.Match, text: str) -> str:
    """Rewrite one formula or one piece of code."""
    if (formula := match["display"]) is not None:
        start = text.rfind("\n", 0, match.start()) + 1
        indent = re.match(" *", text[start:])[0]
        inner = " ".join(formula.split())
        return f"\n{indent}.. math::\n\n{indent}   {inner}\n\n{indent}"
    if match["inline"] is not None:
        return f":math:`{' '.join(match['inline'].split())}`"
    code = " ".join(match["code"].split())
    if name := page_names().get(code):
        return f":py:obj:`{code} <{name}>`"
    return f"``{code}``"


def rewrite_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Rewrite a docstring in place, before the sections of Google's style are read."""
    if what == "data":
        # Its own type's docstring would stand here.
        lines[:] = [describe(obj), ""]
    else:
        lines[:] = to_rst("\n".join(lines)).split("\n")


def skip_fields(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave out what a signature says already, or the printed module.

    The fields of a named tuple stand there with their types.
    """
    is_field = (getattr(obj, "__doc__", None) or "").startswith(FIELD)
    return True if is_field or name == "extra_repr" else None


def shorten_signature(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Write a default that is made for each object so that Sphinx can read it."""
    return signature and signature.replace("<factory>", "..."), returned


def describe(value: object) -> str:
    """Describe what a constant holds."""
    if isinstance(value, Mapping):
        return f"Names: {', '.join(f'``{key}``' for key in value)}."
    return f"Value: ``{value!r}``."


def fill_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the objects where a page names their room."""
    source[0] = MARK.sub(lambda match: fill_mark(match[1]), source[0])


def fill_mark(words: str) -> str:
    """Write what takes the place of a mark."""
    if words == ALL:
        return index_text(atlas())
    return page_text(atlas(), words.split())


def entry_of(reference: str) -> str | None:
    """Name the entry of what a cell draws: a method without words has its class's."""
    package = atlas().package
    thing = package.things.get(reference)
    if thing is None or not thing.module.startswith(f"{PACKAGE}."):
        return None
    name = package.public_name(reference)
    is_told = thing.kind != "method" or (thing.doc and thing.is_public)
    return name if is_told else name.rpartition(".")[0]


class LinkDrawnCells(SphinxTransform):
    """Put a link to the API entry below each cell that is drawn from the package."""

    default_priority = 880

    def apply(self) -> None:
        """Change the cells of one page."""
        for cell in list(self.document.findall(nodes.container)):
            reference = cell.get("cell_metadata", {}).get("draw")
            if reference and (name := entry_of(reference)):
                cell.parent.insert(cell.parent.index(cell) + 1, self.link(name))

    def link(self, name: str) -> nodes.paragraph:
        """Make the line below a cell."""
        reference = pending_xref(
            "",
            nodes.inline("", f"API and tests of {name.rpartition('.')[2]}"),
            refdomain="py",
            reftype="obj",
            reftarget=name,
            refdoc=self.env.docname,
            refexplicit=True,
        )
        return nodes.paragraph("", "", reference, classes=["api-link"])


def adopt(app: Sphinx, doctree: nodes.document) -> None:
    """Let all parts of a page belong to the page.

    What MyST reads as reStructuredText belongs to a document of its own, which knows
    the whole book: it would be stored with the page, and read with it at every build.
    """
    for node in doctree.findall():
        node.document = doctree


def configure(app: Sphinx, config: Config) -> None:
    """Settle how signatures look."""
    for name, value in SETTINGS.items():
        setattr(config, name, value)
    config.nitpick_ignore_regex = [*config.nitpick_ignore_regex, *UNKNOWN]


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
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    # Before napoleon, which listens to the same event.
    app.connect("autodoc-process-docstring", rewrite_docstring, priority=400)
    app.connect("autodoc-process-signature", shorten_signature)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("source-read", fill_page)
    app.connect("doctree-read", adopt)
    app.connect("config-inited", configure)
    app.add_css_file("api.css")
    app.add_transform(LinkDrawnCells)
    for node in (desc_parameterlist, desc_parameter):
        name = node.__name__
        visit = in_boxes(getattr(HTML5Translator, f"visit_{name}"))
        depart = in_boxes(getattr(HTML5Translator, f"depart_{name}"))
        app.add_node(node, html=(visit, depart), override=True)
