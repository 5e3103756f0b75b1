"""Rules about code cells: short, plain and fresh."""

import copy
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells
from bookkit.book.notebooks import REMOVE_CELL, tags
from bookkit.book.source import parse_code
from bookkit.writing.draw import DrawError, draw_cells

MAX_LINES = 20


def code_is_plain_python(notebook: NotebookNode, path: Path) -> list[str]:
    """Every code cell is Python: no magic and no shell command.

    For engineers, who copy a cell into a program of their own.
    """
    return [
        f"{name} must be plain Python, without magics or shell commands."
        for name, cell in code_cells(notebook)
        if parse_code(cell.source) is None
    ]


def code_is_short(notebook: NotebookNode, path: Path) -> list[str]:
    """A code cell has at most 20 lines, drawn cells and the bootstrap excepted.

    For newcomers: a cell is one idea, and seen at one glance.
    """
    return [
        f"{name} must have at most {MAX_LINES} lines, and has {length}; split it."
        for name, cell in code_cells(notebook)
        if (length := len(cell.source.splitlines())) > MAX_LINES
        and "draw" not in cell.metadata
        and REMOVE_CELL not in tags(cell)
    ]


def drawn_cells_are_fresh(notebook: NotebookNode, path: Path) -> list[str]:
    """Drawn cells hold the source that the package holds.

    For engineers: what they read is what they import.
    """
    try:
        stale = draw_cells(copy.deepcopy(notebook), path.name)
    except DrawError as error:
        return [str(error)]
    return [f"{sentence}; run `make draw`." for sentence in stale]
