"""A rule about links: each of a notebook leads somewhere, wherever it is opened."""

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from docutils.nodes import make_id

from bookkit.book.anchors import anchors, targets
from bookkit.book.cells import headings, markdown_cells
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.book.prose import without_code
from bookkit.book.published import Published, page_file, published

_LINK = re.compile(r"(?<!!)\]\((?P<to>[^)\s]+)\)")
# What the site makes of an entry of the glossary.
_TERM = "term-"


def links_lead_somewhere(root: Path) -> list[str]:
    """A link of a notebook leads to an anchor in it, or to a page and a part of it."""
    online, parts = published(root), functools.cache(lambda file: _parts(root, file))
    return [
        f"{relative_name(path, root)}, {name} links to {to}, {fault}"
        for path in notebook_paths(root)
        for name, to, own in _links(path)
        if (fault := _fault(to, own, online, parts, root))
    ]


def _links(path: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Yield each link of a notebook with its cell, and the anchors of the notebook."""
    cells = list(markdown_cells(read_notebook(path)))
    own = set().union(*(anchors(cell.source) for _, cell in cells))
    for name, cell in cells:
        for match in _LINK.finditer(without_code(cell.source)):
            yield name, match["to"], own


def _fault(
    to: str,
    own: set[str],
    online: Published,
    parts: Callable[[str], set[str]],
    root: Path,
) -> str | None:
    """Return what is wrong with a link, if anything is."""
    if to.startswith("#"):
        known = to[1:] in own
        return None if known else "and no cell has that anchor; write it above one."
    if not re.match(r"[a-z]+:", to):
        return "which leads nowhere in Colab; run `make references`."
    faults: list[str] = []

    def look(page: str, anchor: str) -> str:
        file = page_file(root, page)
        if file is None:
            faults.append("and the book has no such page; mend the link.")
        elif anchor and not anchor.startswith(_TERM) and anchor not in parts(file):
            faults.append(
                "and that page has no such part: the heading may have changed, or hold "
                "a formula, and needs an anchor above it."
            )
        return ""

    online.change_links(to, look)
    return faults[0] if faults else None


def _parts(root: Path, file: str) -> set[str]:
    """Collect the anchors that a page has on the site."""
    path = root / file
    if path.suffix == ".md":
        texts = [read_page(path)]
    else:
        texts = [cell.source for _, cell in markdown_cells(read_notebook(path))]
    named = [label for text in texts for label in (*anchors(text), *targets(text))]
    named += [f"equation-{label}" for label in named]
    return {*named, *(make_id(title) for text in texts for title in headings(text))}
