"""Read the pages of the book; rules about all of them together: contents and names."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bookkit.book.cells import markdown_cells
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import contents, notebook_paths, read_notebook
from bookkit.book.prose import anchors, without_code

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


def contents_name_every_page(root: Path) -> list[str]:
    """`_toc.yml` names every page once, and nothing else.

    For readers online, who find a page in the contents or not at all.
    """
    listed = Counter(name.removesuffix(".ipynb") for name in contents(root))
    pages = {p.relative_to(root).with_suffix("").as_posix() for p in page_paths(root)}
    breaches = [f"_toc.yml must list {name}; add it." for name in pages - {*listed}]
    breaches += [
        f"_toc.yml lists {name}, and it is missing." for name in {*listed} - pages
    ]
    breaches += [f"_toc.yml lists {name} twice." for name, n in listed.items() if n > 1]
    return sorted(breaches)


def names_are_unique(root: Path) -> list[str]:
    """Figures, equations, theorems, exercises and sections have names of their own.

    For readers who follow a link: it leads to one place.
    """
    owners: dict[str, list[str]] = {}
    for page in read_pages(root):
        for label in page.labels:
            owners.setdefault(label, []).append(page.name)
    return [
        f"The name {label!r} must be used once, and is in {' and in '.join(names)}."
        for label, names in sorted(owners.items())
        if len(names) > 1
    ]
