"""Take drawings and narrow forms of figures into the pages that show them.

A page names a drawing as it names any picture, and a host of repositories shows it as
one. On the site the file itself becomes part of the page: its links lead to the
chapters, its colors follow the theme, and its words are words. Where a drawing has a
form for a narrow page beside it, such as ``machine-narrow.svg`` beside
``machine-wide.svg``, the page takes both and its style sheet shows one.

A notebook keeps the narrow form beside the figure, under a kind of its own that Jupyter
and Colab pass over. Here it becomes a file beside that of the figure, and the page
names both: a browser fetches the one that it shows, and paper has room for the wide.
"""

import hashlib
import posixpath
import re
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from bookkit.book.cells import code_cells, images
from bookkit.book.notebooks import NARROW, SVG, read_notebook
from bookkit.publishing.site.reading import IMAGE, measure

logger = logging.getLogger(__name__)
FOLDER = "_drawings"
ICON = "apple-touch-icon.png"
LINK = re.compile(
    r'href="(?P<page>[^"]+)\.ipynb"(?P<rest>[^>]*>)(?P<inside>.*?)</a>', re.S
)
TEXT = re.compile(r"<text\b[^>]*>(.*?)</text>", re.S)
MARKUP = re.compile(r"<[^>]*>")
# From here on the wide form has 0.85 of its size.
NARROW_PAGE = "screen and (max-width: 640px)"


class drawing(nodes.General, nodes.Element):  # noqa: N801 (docutils' way)
    """A drawing whose boxes are links."""


class TakeDrawings(SphinxTransform):
    """Replace the pictures that are drawings of the book."""

    # Before Sphinx collects the pictures of a page.
    default_priority = 200

    def apply(self) -> None:
        """Change the pictures of one page."""
        for image in list(self.document.findall(nodes.image)):
            if posixpath.dirname(image["uri"]).split("/")[-1] == FOLDER:
                here = posixpath.dirname(self.env.docname)
                file = posixpath.normpath(posixpath.join(here, image["uri"]))
                paragraph = image.parent
                part = paragraph if len(paragraph) == 1 else image  # no place for one
                part.parent.replace(part, read_drawing(file, self.env))


def read_drawing(file: str, env: BuildEnvironment) -> drawing:
    """Read a drawing, and the form for a narrow page if there is one."""
    names = [file, file.replace("-wide.svg", "-narrow.svg")]
    texts = []
    for name in dict.fromkeys(names):
        path = Path(env.srcdir) / name
        env.note_dependency(name)
        texts.append(path.read_text("utf-8"))
    base = posixpath.dirname(posixpath.dirname(file))
    return drawing(texts=texts, base=base)


def link_pages(svg: str, base: str, app: Sphinx, docname: str) -> str:
    """Turn the links of a drawing into links of the page that shows it.

    Who hears the page is told the chapter's number and title behind the words in view.
    """

    def link(match: re.Match) -> str:
        target = posixpath.join(base, match["page"])
        if target not in app.env.found_docs:
            logger.warning(
                "A drawing must lead to pages of the book; got "
                f"'{match['page']}'. Mend it.",
                location=docname,
            )
        address = escape(app.builder.get_relative_uri(docname, target))
        name = escape(spoken(words_in(match["inside"]), target, app.env))
        return (
            f'href="{address}" aria-label="{name}"{match["rest"]}{match["inside"]}</a>'
        )

    return LINK.sub(link, svg)


def words_in(box: str) -> str:
    """Return the words of a box, whose lines may break after a hyphen."""
    lines = [unescape(MARKUP.sub("", text)) for text in TEXT.findall(box)]
    return " ".join(lines).replace("- ", "-")


def spoken(words: str, page: str, env: BuildEnvironment) -> str:
    """Name a box: its words, then the number and the title of its chapter."""
    title = env.titles[page].astext() if page in env.titles else ""
    number = env.toc_secnumbers.get(page, {}).get("")
    chapter = f": chapter {number[0]}" if number else ""
    return f"{words}{chapter}" + (f", {title}" if title not in {"", words} else "")


def visit_drawing(self: HTML5Translator, node: drawing) -> None:
    """Write the drawing; a reading device has room for the narrow form only."""
    app = self.builder.app
    texts = node["texts"][-1:] if app.builder.name == "epub" else node["texts"]
    docname = self.builder.current_docname
    self.body.append('<div class="drawings">\n')
    self.body += [link_pages(text, node["base"], app, docname) for text in texts]
    self.body.append("</div>\n")
    raise nodes.SkipNode


def add_icon(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Name the icon that a phone shows for the book."""
    icon = context["pathto"](f"_static/{ICON}", 1)
    link = f'<link rel="apple-touch-icon" href="{icon}">'
    context["metatags"] = f"{context.get('metatags', '')}\n{link}"


def read_forms(notebook: Path) -> dict[str, str]:
    """Read the narrow forms of a notebook, by the names of the figures' files."""
    shown = [
        output.data
        for _, cell in code_cells(read_notebook(notebook))
        for output in images(cell)
        if NARROW in output.data and SVG in output.data
    ]
    return {name_figure(data[SVG]): data[NARROW] for data in shown}


def name_figure(svg: str) -> str:
    """Name the file of a figure as MyST-NB does."""
    content = "\n".join(svg.splitlines()).encode("utf-8")
    return f"{hashlib.sha256(content).hexdigest()}.svg"


def offer_forms(body: str, find: Callable[[str], Path | None]) -> str:
    """Name the narrow forms of figures, with their sizes, beside the figures.

    Args:
        body: The HTML of a page.
        find: Finds the file of the narrow form by the name of the figure's file.
    """

    def change(match: re.Match[str]) -> str:
        file = find(match["name"])
        size = file and measure(file)
        if not size:
            return match.group()
        address = match["source"].removesuffix(match["name"]) + file.name
        return (
            f'<picture style="--natural: {size[0]}px"><source media="{NARROW_PAGE}" '
            f'srcset="{address}" width="{size[0]}" height="{size[1]}">'
            f"{match.group()}</picture>"
        )

    return IMAGE.sub(change, body)


def show_forms(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Write the narrow forms of a page into files, and name them on the page."""
    if app.builder.format != "html" or pagename not in app.env.found_docs:
        return
    notebook = Path(app.env.doc2path(pagename))
    if notebook.suffix != ".ipynb":
        return
    folder = Path(app.outdir) / "_images"
    folder.mkdir(exist_ok=True)
    files = {}
    for name, form in read_forms(notebook).items():
        files[name] = folder / name.replace(".svg", "-narrow.svg")
        files[name].write_text(form, "utf-8")
    context["body"] = offer_forms(context["body"], files.get)


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.add_transform(TakeDrawings)
    app.add_node(drawing, html=(visit_drawing, None))
    app.connect("html-page-context", add_icon)
    # After the figures have their sizes.
    app.connect("html-page-context", show_forms, priority=510)
