"""Keep the references of the book readable in Colab and right everywhere."""

import re
from pathlib import Path

from bookkit.book.bibliography import read_bibliography
from bookkit.book.files import read_page, relative_name, replace_files
from bookkit.book.notebooks import cell_name, chapters, checked_bytes, read_notebook
from bookkit.book.numbering import chapter_numbers, numbers
from bookkit.writing.boxes import without_marks, write_boxes, write_figure_mark
from bookkit.writing.links import Targets, replace_references, write_links

# A page that a command writes is written again by it, and not here.
_GENERATED = re.compile(
    r"\A(?:---\n.*?\n---\n)?\s*(?:%|<!--)[^\n]*\b(?:generated|written by)\b",
    re.IGNORECASE | re.DOTALL,
)


def read_targets(root: Path) -> Targets:
    """Read what the references of the book can mean."""
    return Targets(numbers(root), read_bibliography(root))


def plain_references(text: str, targets: Targets, place: str) -> str:
    """Write the references of a text so that they read well without the site.

    Roles become links with words, links get the numbers and years of today, and the
    lines of boxes stand apart and carry their numbers.

    Raises:
        BookError: A role names what is not there.
    """
    linked = write_links(text, targets, place)
    return write_boxes(linked, targets.numbers)


def stale_references(root: Path, *, write: bool = False) -> list[str]:
    """List where references are not as they should read, and fix them if asked.

    Either all of them are fixed or none: every page is read before one is written.
    """
    chapters(root)
    targets = read_targets(root)
    places, changes = [], {}
    for page, _ in chapter_numbers(root):
        is_notebook = page.suffix == ".ipynb"
        look = _look_at_notebook if is_notebook else _look_at_text
        stale, fresh = look(page, relative_name(page, root), targets)
        if stale:
            changes[page] = fresh
        places += stale
    if write:
        replace_files(changes)
    return places


def _look_at_text(
    page: Path, name: str, targets: Targets
) -> tuple[list[str], bytes | None]:
    """List what is stale on a page, and return what it should hold."""
    text = read_page(page)
    if _GENERATED.match(text):
        return [], None
    fresh = plain_references(text, targets, name)
    return [name] if fresh != text else [], fresh.encode()


def _look_at_notebook(
    page: Path, name: str, targets: Targets
) -> tuple[list[str], bytes | None]:
    """List the stale cells of a notebook, and return what it should hold."""
    notebook, stale = read_notebook(page), []
    for index, cell in enumerate(notebook.cells):
        place = f"{name}, {cell_name(notebook, index)}"
        fresh = _fresh_source(cell, targets, place)
        if fresh != cell.source:
            cell.source = fresh
            stale.append(place)
    return stale, checked_bytes(page, notebook) if stale else None


def _fresh_source(cell: dict, targets: Targets, place: str) -> str:
    """Return the source of a cell with its references and numbers as they are today."""
    if cell.cell_type == "markdown":
        return plain_references(cell.source, targets, place)
    figure = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
    if cell.cell_type == "code" and figure:
        return write_figure_mark(cell.source, targets.numbers.get(figure))
    return cell.source


def as_read(source: str) -> str:
    """Return the source of a cell as it is read, with a reference as one word.

    A reference is taken in at a glance, and numbers that boxes carry are no prose.
    """
    return replace_references(without_marks(source), "reference")
