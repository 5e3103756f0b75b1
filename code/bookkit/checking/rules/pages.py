"""Read the pages of the book: their text, and the names that they define."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from bookkit.book.anchors import anchors
from bookkit.book.cells import markdown_cells
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.book.prose import without_code

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
            pages.append(_page(path, root, read_page(path)))
            continue
        cells = [cell.source for _, cell in markdown_cells(read_notebook(path))]
        pages.append(_page(path, root, "\n\n".join(cells) + "\n"))
    return pages


def _page(path: Path, root: Path, text: str) -> Page:
    """Collect what a page defines."""
    prose = without_code(text)
    named = [match["label"] for form in _LABELS for match in form.finditer(prose)]
    return Page(path, relative_name(path, root), prose, [*anchors(text), *named])
