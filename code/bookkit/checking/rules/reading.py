"""Rules about the reader's time: what a chapter says of it, and what the book lists."""

import re
from math import ceil
from os.path import lexists
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells, markdown_cells
from bookkit.book.files import read_page
from bookkit.book.notebooks import REMOVE_CELL, contents, read_notebook, tags
from bookkit.writing.references import as_read

WORDS, LINES = 220, 20  # of prose and of code that are read in a minute
# The words of a link stand there for hosts of repositories, which know no titles.
_ROW = re.compile(r"^\| \d+ \| \[[^\]]+\]\((\S+)\) \|.*\| (\d+) minutes \|$", re.M)
APPENDIX = "book/appendix/"
_STATED = re.compile(r"\*\*Reading time\*\* about (\d+) minutes")


def reading_minutes(notebook: NotebookNode) -> int:
    """Return how long a chapter takes to read, in steps of five minutes."""
    words = sum(len(as_read(c.source).split()) for _, c in markdown_cells(notebook))
    shown = [cell for _, cell in code_cells(notebook) if REMOVE_CELL not in tags(cell)]
    lines = sum(len(as_read(cell.source).splitlines()) for cell in shown)
    return 5 * ceil((words / WORDS + lines / LINES) / 5)


def reading_time_is_stated(notebook: NotebookNode, path: Path) -> list[str]:
    """The first cell says how long the chapter takes to read."""
    stated = _STATED.findall(notebook.cells[0].source)
    minutes = reading_minutes(notebook)
    if stated == [str(minutes)]:
        return []
    found = f"it says {' and '.join(stated)}" if stated else "it says nothing"
    return [
        f"The first cell must say '**Reading time** about {minutes} minutes', and "
        f"{found}."
    ]


def index_lists_every_chapter(root: Path) -> list[str]:
    """The landing page lists the chapters in order, each with its reading time.

    An appendix is looked up, not read in turn, and needs no row.
    """
    text = read_page(root / "book" / "index.md")
    rows = _ROW.findall(text)
    wanted = [
        (
            f"{name.removeprefix('book/').removesuffix('.ipynb')}.ipynb",
            str(reading_minutes(read_notebook(path))),
        )
        for name in contents(root)
        if lexists(path := (root / name).with_suffix(".ipynb"))
        and not name.startswith(APPENDIX)
    ]
    if rows == wanted:
        return []
    lines = "; ".join(f"{name}, {minutes} minutes" for name, minutes in wanted)
    return [f"book/index.md must have a row for each chapter, in this order: {lines}."]
