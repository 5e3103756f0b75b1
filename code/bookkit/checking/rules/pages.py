"""Read the pages of the book: their text, and the names that they define."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from bookkit.book.cells import code_cells, markdown_cells
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.book.prose import equation_labels, without_code
from bookkit.checking.rules.figures import figure_name

_LABELS = (
    re.compile(r"^\((?P<label>[^)\s]+)\)=\s*$", re.M),
    re.compile(r"^:(?:label|name):[ \t]*(?P<label>\S+)", re.M),
    re.compile(r"\{[^}\n]*#(?P<label>[\w-]+)[^}\n]*\}"),
)


@dataclass
class Page:
    """A page: its text without code, and the labels it defines."""

    path: Path
    name: str
    text: str
    labels: list[str] = field(default_factory=list)


def page_paths(root: Path) -> list[Path]:
    """List the files that are pages: markdown and notebooks under `book/`."""
    found = (path.relative_to(root) for path in (root / "book").rglob("*.md"))
    # Folders that start with an underscore hold parts of the site, no pages.
    own = [p for p in found if not any(part[0] in "._" for part in p.parts)]
    return sorted([*(root / path for path in own), *notebook_paths(root)])


def read_pages(root: Path) -> list[Page]:
    """Read every page under `book/`."""
    pages = []
    for path in page_paths(root):
        if path.suffix == ".md":
            pages.append(_page(path, root, read_page(path), []))
            continue
        notebook = read_notebook(path)
        cells = [cell.source for _, cell in markdown_cells(notebook)]
        figures = [figure_name(cell) for _, cell in code_cells(notebook)]
        text = "\n\n".join(cells) + "\n"
        pages.append(_page(path, root, text, [name for name in figures if name]))
    return pages


def _page(path: Path, root: Path, text: str, figures: list[str]) -> Page:
    """Collect what a page defines."""
    prose = without_code(text)
    equations = equation_labels(text)
    found = [match["label"] for form in _LABELS for match in form.finditer(prose)]
    # A label inside a math directive is an equation's and was already found.
    named = [label for label in found if label not in equations]
    return Page(path, relative_name(path, root), prose, [*figures, *equations, *named])
