"""Keep references and numbers of the book readable in Colab and right everywhere."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bookkit.book.address import lost_pages, published, write_addresses
from bookkit.book.bibliography import read_bibliography
from bookkit.book.boxes import FIGURE, read_box, write_box
from bookkit.book.cells import heading_slug, markdown_cells
from bookkit.book.errors import BookError
from bookkit.book.files import find_root, read_page, relative_name, replace_files
from bookkit.book.notebooks import chapters, checked_bytes, read_notebook
from bookkit.book.numbering import EQUATION, Number, chapter_numbers, numbers
from bookkit.book.prose import (
    change_equations,
    change_prose,
    without_anchors,
    without_code,
    write_anchor,
)
from bookkit.writing.links import Targets, replace_references, write_links

# A page that a command writes is written again by it, and not here.
_GENERATED = re.compile(
    r"\A(?:---\n.*?\n---\n)?\s*(?:%|<!--)[^\n]*\b(?:generated|written by)\b",
    re.IGNORECASE | re.DOTALL,
)
_WITHIN = re.compile(r"\]\(#([^)\s]+)\)")
_HEADING = re.compile(r"^(?P<anchor><a id=[^\n]*\n\n)?#{2,} (?P<heading>.+)$", re.M)


def read_targets(root: Path) -> Targets:
    """Read what the references of the book can mean."""
    return Targets(numbers(root), read_bibliography(root))


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
    fresh = write_links(text, targets, name)
    return [name] if fresh != text else [], fresh.encode()


def _look_at_notebook(
    page: Path, name: str, targets: Targets
) -> tuple[list[str], bytes | None]:
    """List the stale cells of a notebook, and return what it should hold."""
    root = find_root(page)
    notebook, stale, online = read_notebook(page), [], published(root)
    cells = list(markdown_cells(notebook))
    texts = (without_code(cell.source) for _, cell in cells)
    linked = {place for text in texts for place in _WITHIN.findall(text)}
    for place, cell in cells:
        fresh = plain_references(cell.source, targets, f"{name}, {place}")
        for link, fault in lost_pages(fresh, name, root).items():
            raise BookError(f"{name}, {place} links to {link}, {fault}")
        fresh = write_addresses(_leading_out(fresh, name, targets), name, online)
        fresh = _with_heading_anchors(fresh, linked)
        if fresh != cell.source:
            cell.source = fresh
            stale.append(f"{name}, {place}")
    return stale, checked_bytes(page, notebook) if stale else None


def plain_references(text: str, targets: Targets, place: str) -> str:
    """Write the references of a text so that they read well without the site.

    Roles become links with words, links get the numbers and years of today, and boxes
    and equations carry their numbers.

    Raises:
        BookError: A role names what is not there.
    """
    return write_numbers(write_links(text, targets, place), targets.numbers)


def _leading_out(text: str, name: str, targets: Targets) -> str:
    """Let the links to what other pages hold name the page."""

    def named(match: re.Match) -> str:
        target = targets.numbers.get(match[1])
        if target is None or target.file == name:
            return match[0]
        anchor = f"equation-{match[1]}" if target.kind == EQUATION else match[1]
        return f"]({posixpath.relpath(target.file, posixpath.dirname(name))}#{anchor})"

    return change_prose(text, lambda prose: _WITHIN.sub(named, prose))


def _with_heading_anchors(text: str, linked: set[str]) -> str:
    """Put an anchor above each heading that a link on the page leads to.

    Programs that open notebooks name headings each in its own way.
    """

    def named(match: re.Match) -> str:
        slug = heading_slug(match["heading"])
        is_new = slug in linked and not match["anchor"]
        return f"{write_anchor(slug)}\n{match[0]}" if is_new else match[0]

    return _HEADING.sub(named, text)


def as_read(source: str) -> str:
    """Return the source of a cell as it is read, with a reference as one word.

    A reference is taken in at a glance, and numbers that boxes carry are no prose.
    """
    return replace_references(without_numbers(source), "reference")


def write_numbers(text: str, numbers: Mapping[str, Number]) -> str:
    """Give the box that a cell is, and the equations in it, their numbers."""

    def tagged(label: str, latex: str) -> str:
        number = numbers.get(label)
        tag = f"\n\\tag{{{number.number}}}" if number else ""
        return f"{write_anchor(label)}\n$${latex.rstrip()}{tag}\n$$"

    if box := read_box(text):
        known = numbers.get(box.label)
        text = write_box(replace(box, number=known.number) if known else box)
    return change_equations(text, tagged)


def without_numbers(text: str) -> str:
    """Return what is read as prose: without anchors, numbers and captions.

    A caption is looked at with its figure, and its time is the figure's.
    """
    box = read_box(text)
    if box is None:
        return without_anchors(text)
    words = "" if box.kind == FIGURE else f"{box.title} {box.body}"
    return without_anchors(words)
