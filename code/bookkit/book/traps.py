"""The traps of the appendix: one third-level heading, and the cells below it."""

import re
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from bookkit.book.boxes import prose_of
from bookkit.book.notebooks import read_notebook

PAGE = "book/appendix/convention_traps.ipynb"
_HEADING = re.compile(r"^(#{2,3}) (.+)$", re.M)


class Trap(NamedTuple):
    """A trap as the page shows it."""

    group: str
    name: str
    cells: list[NotebookNode]


def read_traps(root: Path) -> list[Trap]:
    """Return the traps of the appendix in order.

    A trap is a cell that starts with a third-level heading, which may follow the
    heading of its group, and the code cells up to the next heading.

    Args:
        root: The root of the book.
    """
    traps: list[Trap] = []
    group, is_open = "", False
    for cell in read_notebook(root / PAGE).cells:
        if cell.cell_type == "code":
            if is_open:
                traps[-1].cells.append(cell)
            continue
        for marks, title in _HEADING.findall(prose_of(cell.source)):
            is_open = marks == "###"
            if is_open:
                traps.append(Trap(group, title, [cell]))
            else:
                group = title
    return traps
