"""A rule about links: each of a notebook leads somewhere, wherever it is opened."""

import functools
import re
from collections.abc import Callable
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.anchors import anchors
from bookkit.book.cells import markdown_cells
from bookkit.book.files import find_root, relative_name
from bookkit.book.labels import page_labels, shared_labels
from bookkit.book.nearest import nearest_to
from bookkit.book.prose import without_code
from bookkit.book.published import (
    Published,
    lost_pages,
    no_such_page,
    page_file,
    published,
)

_LINK = re.compile(r"(?<!!)\]\((?P<to>[^)\s]+)\)")
# What the site makes of an entry of the glossary.
_TERM = "term-"


def links_lead_somewhere(notebook: NotebookNode, path: Path) -> list[str]:
    """A link of a notebook leads to an anchor in it, or to a page and a part of it."""
    root, cells = find_root(path), list(markdown_cells(notebook))
    online, file = published(root), relative_name(path, root)
    own = set().union(*(anchors(cell.source) for _, cell in cells))
    labels = functools.cache(lambda file: page_labels(root / file))
    return [
        f"{name} links to {match['to']}, {fault}"
        for name, cell in cells
        for match in _LINK.finditer(without_code(cell.source))
        for fault in [
            *(
                lost_pages(match[0], file, root).values()
                or _within(match["to"], own, root)
            ),
            *_outside(match["to"], online, labels, root),
        ]
    ]


def _within(to: str, own: set[str], root: Path) -> list[str]:
    """Return what is wrong with a link of a notebook to itself, or to no page."""
    label = to.removeprefix("#")
    if re.match(r"[a-z]+:", to) or label in own:
        return []
    if to == label:
        return ["which leads nowhere in Colab; run `make references`."]
    if label in shared_labels(root):
        return ["which stands on another page; run `make references`."]
    nearest = nearest_to(label, {*own, *shared_labels(root)})
    return [f"and no cell has that anchor{nearest}; mend it, or write it above a cell."]


def _outside(
    to: str, online: Published, labels: Callable[[str], set[str]], root: Path
) -> list[str]:
    """Return what is wrong with a link to a page of the book."""
    faults: list[str] = []

    def look(page: str, anchor: str) -> str:
        file = page_file(root, page)
        if file is None:
            faults.append(no_such_page(page, root))
        elif anchor and not anchor.startswith(_TERM) and anchor not in labels(file):
            nearest = nearest_to(anchor, labels(file))
            faults.append(
                f"and that page has no such part{nearest}: the heading may have "
                "changed, or hold a formula, and needs an anchor above it."
            )
        return ""

    online.change_links(to, look)
    return faults
