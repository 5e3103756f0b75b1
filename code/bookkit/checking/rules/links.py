"""A rule about links: each of a notebook leads somewhere, wherever it is opened."""

import functools
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.anchors import anchors
from bookkit.book.cells import markdown_cells
from bookkit.book.files import find_root
from bookkit.book.labels import page_labels, shared_labels
from bookkit.book.notebooks import contents
from bookkit.book.prose import without_code
from bookkit.book.published import Published, page_file, published

_LINK = re.compile(r"(?<!!)\]\((?P<to>[^)\s]+)\)")
# What the site makes of an entry of the glossary.
_TERM = "term-"


def links_lead_somewhere(notebook: NotebookNode, path: Path) -> list[str]:
    """A link of a notebook leads to an anchor in it, or to a page and a part of it."""
    root, cells = find_root(path), list(markdown_cells(notebook))
    online = published(root)
    own = set().union(*(anchors(cell.source) for _, cell in cells))
    labels = functools.cache(lambda file: page_labels(root / file))
    return [
        f"{name} links to {match['to']}, {fault}"
        for name, cell in cells
        for match in _LINK.finditer(without_code(cell.source))
        for fault in [
            *_within(match["to"], own, root),
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
            nearest = nearest_to(page, contents(root))
            faults.append(f"and the book has no such page{nearest}; mend the link.")
        elif anchor and not anchor.startswith(_TERM) and anchor not in labels(file):
            nearest = nearest_to(anchor, labels(file))
            faults.append(
                f"and that page has no such part{nearest}: the heading may have "
                "changed, or hold a formula, and needs an anchor above it."
            )
        return ""

    online.change_links(to, look)
    return faults


def nearest_to(name: str, known: Iterable[str]) -> str:
    """Name the known word that looks most like one, if any does."""
    close = get_close_matches(name, sorted(known), n=1)
    return f" (the nearest is {close[0]})" if close else ""
