"""The labels of the book: those that every page knows, and those of one page."""

import functools
import json
from pathlib import Path

from docutils.nodes import make_id
from myst_parser.mdit_to_docutils.base import default_slugify

from bookkit.book.cells import heading_slug, headings
from bookkit.book.files import read_page
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.book.prose import anchors, change_heading_anchors, targets, write_anchor


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
