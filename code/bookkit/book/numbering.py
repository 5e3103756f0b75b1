"""Number figures, theorems, exercises and equations as the site does, and list labels.

Some labels are known on every page, the others on their own.
"""

import functools
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path

from docutils.nodes import make_id
from myst_parser.mdit_to_docutils.base import default_slugify

from bookkit.book.boxes import NUMBERED, is_markdown, read_box
from bookkit.book.cells import heading_slug, headings
from bookkit.book.errors import BookError
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import (
    CHINESE,
    CONTENTS,
    notebook_paths,
    read_notebook,
    read_yaml,
)
from bookkit.book.prose import (
    anchors,
    change_heading_anchors,
    equation_labels,
    targets,
    write_anchor,
)

EQUATION = "equation"


@dataclass(frozen=True)
class Number:
    """What the site prints for a label: its kind and its number; and where it is."""

    kind: str
    number: str
    file: str = ""

    @property
    def text(self) -> str:
        """The words of a reference: Theorem 6.2, or (6.2) for an equation."""
        if self.kind == EQUATION:
            return f"({self.number})"
        return f"{self.kind.capitalize()} {self.number}"


def numbers(root: Path) -> dict[str, Number]:
    """Give each label of the book its number.

    A numbered chapter numbers its things 6.1, 6.2, and so on; the pages without a
    number share one count of each kind.
    """
    counts: Counter[tuple[str, int | None]] = Counter()
    found: dict[str, Number] = {}
    for page, chapter in chapter_numbers(root):
        for kind, label in _numbered(page):
            counts[kind, chapter] += 1
            parts = [*([chapter] if chapter else []), counts[kind, chapter]]
            number = ".".join(map(str, parts))
            found[label] = Number(kind, number, relative_name(page, root))
    return found


def chapter_numbers(root: Path) -> list[tuple[Path, int | None]]:
    """List the pages in reading order, each with the number of its chapter."""
    table = read_yaml(root / CONTENTS) or {}
    pages: list[tuple[str, int | None]] = [(table.get("root", ""), None)]
    chapter = 0
    for part in table.get("parts", [{"chapters": table.get("chapters", [])}]):
        for entry in part.get("chapters", []):
            chapter += bool(part.get("numbered"))
            number = chapter if part.get("numbered") else None
            names = (n for n in _files(entry) if not n.startswith(CHINESE))
            pages += [(name, number) for name in names]
    paths = [(_page(root, name), number) for name, number in pages]
    return [(path, number) for path, number in paths if path]


def _files(entry: dict) -> Iterator[str]:
    """Yield a page of the contents and the pages below it."""
    if "file" in entry:
        yield entry["file"]
    for child in entry.get("sections", []):
        yield from _files(child)


def _page(root: Path, name: str) -> Path | None:
    """Find the file of a page."""
    stem = re.sub(r"\.(ipynb|md)$", "", name)
    files = [root / f"{stem}{suffix}" for suffix in (".ipynb", ".md")]
    return next((file for file in files if name and lexists(file)), None)


def _numbered(page: Path) -> Iterator[tuple[str, str]]:
    """Yield kind and label of what is numbered on a page, in order for each kind."""
    if page.suffix == ".md":
        yield from ((EQUATION, label) for label in equation_labels(read_page(page)))
        return
    for cell in filter(is_markdown, read_notebook(page).cells):
        box = read_box(cell.source)
        if box and box.kind in NUMBERED and box.label:
            yield box.kind, box.label
        yield from ((EQUATION, label) for label in equation_labels(cell.source))


def number_of(label: str, known: dict[str, Number], place: str) -> Number:
    """Look a label up.

    Raises:
        BookError: Nothing has this label.
    """
    if label not in known:
        raise BookError(
            f"{place} refers to {label!r}, and nothing of that name has a number; "
            "mend the name, or label what it means."
        )
    return known[label]


def names_itself(label: str, heading: str) -> bool:
    """Return whether a heading has a label on the site without being given it.

    It has it on its own page only.
    """
    return label == heading_slug(heading) == make_id(next(headings(f"# {heading}")))


@functools.cache
def shared_labels(root: Path) -> frozenset[str]:
    """Collect the labels of all pages that MyST knows on every page."""

    def unless_own(label: str, heading: str) -> str:
        return "" if names_itself(label, heading) else write_anchor(label)

    of_notebooks = (
        label
        for path in notebook_paths(root)
        for text in _texts(path)
        for label in anchors(change_heading_anchors(text, unless_own))
    )
    pages = (read_page(path) for path in sorted(root.glob("book/**/*.md")))
    return frozenset(
        (*of_notebooks, *(name for page in pages for name in targets(page)))
    )


def page_labels(path: Path) -> frozenset[str]:
    """Collect the anchors that a page has on the site."""
    return _labels(path, path.stat().st_mtime_ns if path.exists() else 0)


@functools.lru_cache(maxsize=64)
def _labels(path: Path, changed: int) -> frozenset[str]:
    """Read a page again only if it has changed."""
    texts = [read_page(path)] if path.suffix == ".md" else _texts(path)
    named = [label for text in texts for label in (*anchors(text), *targets(text))]
    named = [f"equation-{x}" if x.startswith("eq-") else x for x in named]
    return frozenset(named).union(make_id(x) for text in texts for x in headings(text))


def page_slugs(path: Path) -> set[str]:
    """Collect the names that MyST knows the headings of a page by."""
    texts = [read_page(path)] if path.suffix == ".md" else _texts(path)
    return {default_slugify(title) for text in texts for title in headings(text)}


def _texts(path: Path) -> list[str]:
    """List the Markdown of a notebook, read quickly: without a look at its outputs.

    Raises:
        BookError: It is no notebook.
    """
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        return ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    except (OSError, ValueError, KeyError, TypeError):
        read_notebook(path)  # which says what is wrong
        raise
