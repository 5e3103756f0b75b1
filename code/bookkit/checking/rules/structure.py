"""Rules about the form of a notebook: titled, clean, and told how long it takes."""

import copy
import re
from itertools import groupby
from os.path import lexists
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.address import repository_url
from bookkit.book.cells import (
    DEEPER,
    EXERCISES,
    code_cells,
    markdown_cells,
    markdown_tokens,
    parts,
)
from bookkit.book.files import find_root, read_page
from bookkit.book.notebooks import (
    REMOVE_CELL,
    canonical_bytes,
    cell_name,
    contents,
    read_notebook,
    tags,
)
from bookkit.book.outline import STATED
from bookkit.book.prose import without_anchors
from bookkit.writing.bootstrap import bootstrap_source
from bookkit.writing.minutes import (
    CHAPTER_ROW,
    COMPARED,
    compared_sentence,
    counted_sentence,
    reading_time,
)
from bookkit.writing.normalize import normalize_metadata

APPENDIX = "book/appendix/"
_HEADING = re.compile(r"\A#+ .*")


def file_is_canonical(notebook: NotebookNode, path: Path) -> list[str]:
    """The file holds the bytes that the book's tools write.

    For those who review a change: the diff shows what was meant.
    """
    if path.read_bytes() == canonical_bytes(notebook):
        return []
    return ["The file is not in canonical form; run `make run`."]


def title_comes_first(notebook: NotebookNode, path: Path) -> list[str]:
    """The first cell is markdown with the only first-level heading.

    For readers who hear the page, and move by its headings.
    """
    titles = {
        name: _titles(cell.source)
        for name, cell in markdown_cells(notebook)
        if _titles(cell.source)
    }
    if list(titles.items()) == [("cell 1", 1)]:
        return []
    found = ", ".join(titles) or "none"
    return [f"The only first-level heading must stand in cell 1; found in: {found}."]


def _titles(text: str) -> int:
    """Count the first-level headings of a markdown text."""
    tokens = markdown_tokens(text)
    return sum(token.type == "heading_open" and token.tag == "h1" for token in tokens)


def bootstrap_comes_first(notebook: NotebookNode, path: Path) -> list[str]:
    """The first code cell is the bootstrap, hidden and silent.

    For readers in Colab: the first cell installs what the others need.
    """
    source = bootstrap_source(repository_url(find_root(path)))
    name, first = next(code_cells(notebook), ("no code cell", None))
    if first is None or first.source != source or REMOVE_CELL not in tags(first):
        return [f"{name}: the first code cell must be the bootstrap; run `make draw`."]
    return [f"{name}: the bootstrap must print nothing."] if first.outputs else []


def metadata_is_normal(notebook: NotebookNode, path: Path) -> list[str]:
    """The metadata says what is folded, and nothing of times, editors or one run.

    For readers in Colab and JupyterLab: what the site folds is folded.
    """
    fresh = copy.deepcopy(notebook)
    normalize_metadata(fresh)
    pairs = [("The notebook", notebook.metadata, fresh.metadata)]
    pairs += [
        (cell_name(notebook, index), cell.metadata, other.metadata)
        for index, (cell, other) in enumerate(
            zip(notebook.cells, fresh.cells, strict=True)
        )
    ]
    return [
        f"{place} {'keeps' if key in found else 'lacks'} metadata {key!r}; run "
        "`make run`."
        for place, found, wanted in pairs
        for key in sorted({*found, *wanted})
        if found.get(key) != wanted.get(key)
    ]


def reading_time_is_stated(notebook: NotebookNode, path: Path) -> list[str]:
    """The first cell says how long a chapter takes, the last how much it compares.

    For newcomers, who plan an evening, and researchers, who ask what chance made.
    """
    first, last = notebook.cells[0].source, notebook.cells[-1].source
    wanted = {
        "The first cell must say": (STATED.findall(first), counted_sentence(notebook)),
        "The last cell must end with": (
            COMPARED.findall(last),
            compared_sentence(notebook),
        ),
    }
    breaches = []
    for must, (stated, counted) in wanted.items():
        if "".join(stated) == counted:
            continue
        said = " and ".join(sentence.strip() for sentence in stated) or "nothing"
        breaches.append(
            f"{must} '{counted.strip()}', and it says {said}; `make references` writes "
            "what was counted."
        )
    return breaches


def deeper_sections_are_whole(notebook: NotebookNode, path: Path) -> list[str]:
    """A Deeper section has a title, holds something, and is none of the exercises.

    For newcomers: what they may skip is worth a title, and optional.
    """
    breaches = []
    for heading, group in groupby(parts(notebook), key=lambda part: part.deeper):
        if not heading:
            continue
        inside = list(group)
        if heading == DEEPER:
            breaches.append(f"The heading '{DEEPER}' must go on with a title.")
        texts = (_HEADING.sub("", without_anchors(part.text)) for part in inside)
        if not any(text.strip() for text in texts):
            breaches.append(
                f"The section '{heading}' holds nothing; fill it, or remove it."
            )
        if inside[0].section == EXERCISES:
            breaches.append(
                f"The section '{heading}' stands in the exercises, which nobody must "
                "read; move it above them."
            )
    return breaches


def index_lists_every_chapter(root: Path) -> list[str]:
    """The landing page lists the chapters in order, each with its reading time.

    An appendix is looked up, not read in turn, and needs no row.

    For newcomers: the way through the book, with its minutes.
    """
    text = read_page(root / "book" / "index.md")
    rows = [(row["name"], row["time"]) for row in CHAPTER_ROW.finditer(text)]
    wanted = [
        (
            f"{name.removeprefix('book/').removesuffix('.ipynb')}.ipynb",
            reading_time(read_notebook(path)).cell,
        )
        for name in contents(root)
        if lexists(path := (root / name).with_suffix(".ipynb"))
        and not name.startswith(APPENDIX)
    ]
    if rows == wanted:
        return []
    lines = "; ".join(f"{name}, {time}" for name, time in wanted)
    return [f"book/index.md must have a row for each chapter, in this order: {lines}."]
