"""Make of the plain Markdown in notebooks the directives that MyST knows.

The notebooks hold nothing that a reader of Colab, JupyterLab or VS Code would see as a
mark. Here, before MyST reads them, their boxes become theorems, exercises and folded
solutions, captions go to their figures, and addresses of the book's pages become links
that Sphinx checks. Cells keep their places, so that a warning names the right one.
"""

import posixpath
import re
from pathlib import Path

from nbformat import NotebookNode
from sphinx.application import Sphinx

from bookkit.book.address import Published, files_url, page_file, published
from bookkit.book.boxes import (
    EXERCISE,
    FIGURE,
    PROOF,
    SOLUTION,
    Box,
    caption_below,
    is_markdown,
    read_box,
)
from bookkit.book.cells import code_cells, images, markdown_cells
from bookkit.book.files import find_root
from bookkit.book.notebooks import NARROW, canonical_bytes, parse_notebook
from bookkit.book.numbering import names_itself, shared_labels
from bookkit.book.prose import change_equations, change_heading_anchors

END = ":::{solution-end}\n:::\n\n"
_NOTE = re.compile(r"^> \*\*(?P<title>[^*\n]+)\*\*\n(?P<body>(?:>.*(?:\n|\Z))+)", re.M)


def write_directives(notebook: NotebookNode) -> None:
    """Put directives into a notebook, in place."""
    exercise, is_open = "", False
    for index, cell in enumerate(notebook.cells):
        if not is_markdown(cell):
            _caption(cell, caption_below(notebook, index))
            continue
        box = read_box(cell.source)
        starts = cell.source.startswith("#") or bool(box and box.kind == EXERCISE)
        end = END if is_open and starts else ""
        is_open = bool(box and box.kind == SOLUTION) or (is_open and not starts)
        exercise = box.label if box and box.kind == EXERCISE else exercise
        cell.source = end + (_directive(box, exercise) if box else _text(cell.source))
    if is_open:
        last = NotebookNode(cell_type="markdown", source=END, metadata={}, id="end")
        notebook.cells.append(last)


def _caption(cell: NotebookNode, caption: Box | None) -> None:
    """Hand the caption below a figure to the cell that draws it."""
    if caption:
        figure = {"caption": caption.body, "name": caption.label}
        cell.metadata.setdefault("mystnb", NotebookNode())["figure"] = figure


def _directive(box: Box, exercise: str) -> str:
    """Write a box as MyST wants it."""
    if box.kind == FIGURE:
        return ""  # the figure has it
    body = _text(box.body)
    if box.kind == SOLUTION:
        return f":::{{solution-start}} {exercise}\n:class: dropdown\n:::"
    name = EXERCISE if box.kind == EXERCISE else f"prf:{box.kind}"
    label = f":label: {box.label}\n" if box.kind != PROOF and box.label else ""
    return f":::{{{name}}} {box.title}\n{label}\n{body}\n\n:::"


def _text(text: str) -> str:
    """Give the notes, equations and anchors of a text the marks of MyST."""
    text = change_equations(text, lambda label, latex: f"$${latex}$$ ({label})")
    text = change_heading_anchors(text, _target)
    return _NOTE.sub(_note, text)


def _target(label: str, heading: str) -> str:
    """Name a heading, unless MyST names it so by itself."""
    return "" if names_itself(label, heading) else f"({label})=\n"


def _note(match: re.Match) -> str:
    """Write a block quote below a title as a note."""
    body = re.sub(r"^> ?", "", match["body"], flags=re.M).strip()
    if match["title"] == "Note":
        return f":::{{note}}\n\n{body}\n\n:::\n"
    return f":::{{admonition}} {match['title']}\n:class: tip\n\n{body}\n\n:::\n"


def lead_inside(text: str, docname: str, root: Path, online: Published) -> str:
    """Turn the addresses of the book's pages into links that Sphinx checks."""

    def inside(page: str, anchor: str) -> str:
        label = anchor.removeprefix("equation-")
        if label in shared_labels(root):
            return f"#{label}"
        file = page_file(root, page) or f"{page}.ipynb"
        link = posixpath.relpath(file, posixpath.dirname(docname))
        return f"{link}#{anchor}" if anchor else link

    return online.change_links(text, inside)


def lead_to_downloads(text: str, docname: str, root: Path, online: str) -> str:
    """Turn the addresses of the book's code into links that download a file.

    In a notebook they lead to where the repository shows its files, to `online`.
    """
    start = re.escape(f"{online}/")

    def download(match: re.Match) -> str:
        if not (root / match["file"]).is_file():
            return match[0]
        return posixpath.relpath(match["file"], posixpath.dirname(docname))

    return re.sub(rf"(?<=\]\(){start}(?P<file>code/[\w/.-]+\.py)(?=\))", download, text)


def read_plain(app: Sphinx, docname: str, source: list[str]) -> None:
    """Change a notebook before MyST reads it."""
    path = Path(app.env.doc2path(docname))
    if path.suffix != ".ipynb":
        return
    notebook, root = parse_notebook(source[0], docname), find_root(path)
    online, files = published(root), files_url(root)
    for _, cell in markdown_cells(notebook):
        cell.source = lead_inside(cell.source, docname, root, online)
        cell.source = lead_to_downloads(cell.source, docname, root, files)
    write_directives(notebook)
    for _, cell in code_cells(notebook):  # MyST does not know narrow forms
        for output in images(cell):
            output.data.pop(NARROW, None)
    source[0] = canonical_bytes(notebook).decode()


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("source-read", read_plain)
