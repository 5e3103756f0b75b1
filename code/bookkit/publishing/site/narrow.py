"""Show the narrow form of a figure on a narrow page.

A notebook keeps the form beside the figure, under a kind of its own that Jupyter and
Colab pass over. Here it becomes a file beside that of the figure, and the page names
both: a browser fetches the one that it shows, and paper has room for the wide one.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit.book.cells import code_cells, images
from bookkit.book.notebooks import NARROW, SVG, read_notebook
from bookkit.publishing.site.reading import IMAGE, measure

# From here on the wide form has 0.85 of its size.
NARROW_PAGE = "screen and (max-width: 640px)"


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
    # After the figures have their sizes.
    app.connect("html-page-context", show_forms, priority=510)
