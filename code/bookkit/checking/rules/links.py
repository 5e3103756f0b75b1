"""A rule about links: each of a notebook leads somewhere, wherever it is opened."""

import functools
import re
from collections.abc import Callable
from pathlib import Path

from docutils.nodes import make_id
from nbformat import NotebookNode

from bookkit.book.cells import headings, markdown_cells
from bookkit.book.errors import nearest_to
from bookkit.book.files import find_root, relative_name
from bookkit.book.labels import page_labels, shared_labels
from bookkit.book.prose import anchors, without_code
from bookkit.book.published import (
    Published,
    lost_pages,
    no_such_page,
    page_file,
    published,
    write_addresses,
)

_LINK = re.compile(r"(?<!!)\]\((?P<to>[^)\s]+)\)")
# What the site makes of an entry of the glossary.
_TERM = "term-"


def links_lead_somewhere(notebook: NotebookNode, path: Path) -> list[str]:
    """A link of a notebook leads to an anchor in it, or to a page and a part of it.

    For readers in Colab, who have one page and not the site.
    """
    root, cells = find_root(path), list(markdown_cells(notebook))
    online, file = published(root), relative_name(path, root)
    own = set().union(*(anchors(cell.source) for _, cell in cells))
    titles = {make_id(x) for _, cell in cells for x in headings(cell.source)}
    labels = functools.cache(page_labels)
    absolute = functools.partial(write_addresses, file=file, target=online)
    return [
        f"{name} links to {match['to']}, {fault}"
        for name, cell in cells
        for match in _LINK.finditer(without_code(cell.source))
        for fault in (
            lost_pages(match[0], file, root).values()
            or faults_outside(absolute(match[0]), online, labels, root)
            or _within(match["to"], own, titles, root)
        )
    ]


def _within(to: str, own: set[str], titles: set[str], root: Path) -> list[str]:
    """Return what is wrong with a link of a notebook to itself, or to no page."""
    label = to.removeprefix("#")
    if re.match(r"[a-z]+:", to) or label in own:
        return []
    if to == label:
        return ["which leads nowhere in Colab; run `make references`."]
    if label in shared_labels(root):
        return ["which stands on another page; run `make references`."]
    if label in titles:
        return ["a heading without an anchor; run `make references`."]
    nearest = nearest_to(label, {*own, *titles, *shared_labels(root)})
    return [f"and no cell has that anchor{nearest}; mend it, or write it above a cell."]


def faults_outside(
    to: str, online: Published, labels: Callable[[Path], set[str]], root: Path
) -> list[str]:
    """Return what is wrong with each address of a page of the book in a text."""
    faults: list[str] = []

    def look(page: str, anchor: str) -> str:
        file = page_file(root, page)
        known = labels(root / file) if file and anchor else ()
        if file is None:
            faults.append(no_such_page(page, root))
        elif anchor and not anchor.startswith(_TERM) and anchor not in known:
            nearest = nearest_to(anchor, known)
            faults.append(
                f"and that page has no such part{nearest}: the heading may have "
                "changed, or hold a formula, and needs an anchor above it."
            )
        return ""

    online.change_links(to, look)
    return faults
