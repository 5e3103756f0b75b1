"""Rules about exercises: whole, with starters that fail and solutions that pass."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import EXERCISE, SOLUTION, boxes, read_box
from bookkit.book.cells import code_cells, headings, markdown_cells, output_text
from bookkit.book.notebooks import SOLVED, STARTER, cell_name, tags

_UNSOLVED = " has no solution; write it below a cell '#### Solution'."
_TODO = re.compile(r"\bTODO: .*")
_PASSED = re.compile(r"\bAll \d+ properties hold\b|\bThe property holds\b")


def exercises_have_solutions(notebook: NotebookNode, path: Path) -> list[str]:
    """An exercise is written to its end, and below it stands its solution.

    For learners: no exercise leaves them alone.
    """
    breaches, waiting = _unwritten(notebook), ""
    for index, box in boxes(notebook):
        if box.kind not in (EXERCISE, SOLUTION):
            continue
        if waiting and box.kind == EXERCISE:
            breaches.append(waiting + _UNSOLVED)
        if not waiting and box.kind == SOLUTION:
            name = cell_name(notebook, index)
            breaches.append(f"{name} is a solution without an exercise above it.")
        waiting = f"The exercise {box.label}" if box.kind == EXERCISE else ""
    return breaches + [waiting + _UNSOLVED] * bool(waiting)


def _unwritten(notebook: NotebookNode) -> list[str]:
    """Name what `make new-exercise` has left to the author."""
    return [
        f"{cell_name(notebook, index)} still says {match[0]!r}; write it."
        for index, cell in enumerate(notebook.cells)
        for match in _TODO.finditer(cell.source)
    ]


def headings_begin_cells_after_solutions(
    notebook: NotebookNode, path: Path
) -> list[str]:
    """A heading that ends a solution begins its cell, where it ends what is folded.

    For readers in Colab and JupyterLab: the solution is folded, and no more.
    """
    breaches, is_open = [], False
    for name, cell in markdown_cells(notebook):
        box = read_box(cell.source)
        kind = box.kind if box else ""
        is_open = is_open and kind != EXERCISE and not cell.source.startswith("#")
        is_open = is_open or kind == SOLUTION
        if is_open and any(headings(cell.source)):
            breaches.append(
                f"{name} has a heading within a solution; begin a cell with it."
            )
    return breaches


def starters_fail_and_solutions_pass(notebook: NotebookNode, path: Path) -> list[str]:
    """A starter says what is missing; the same check passes in the solution.

    For learners: to pass a check means something.
    """
    breaches = []
    waiting: str | None = None
    for name, cell in code_cells(notebook):
        said = "\n".join(output_text(output) for output in cell.outputs)
        if STARTER in tags(cell):
            if waiting:
                breaches.append(f"{waiting} has no cell tagged {SOLVED} below it.")
            waiting = name
            if not said.startswith("Not yet"):
                breaches.append(f"{name} is a starter and must print 'Not yet'.")
        if SOLVED in tags(cell):
            if waiting is None:
                breaches.append(f"{name} is a solution without a starter above it.")
            waiting = None
            if not _PASSED.search(said):
                breaches.append(f"{name} must print that all properties hold.")
    left = [f"{waiting} has no cell tagged {SOLVED} below it."] if waiting else []
    return breaches + left
