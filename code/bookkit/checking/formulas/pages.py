"""The formulas of the book, as the notebooks hold them."""

import re
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from bookkit.book.anchors import change_equations
from bookkit.book.files import relative_name
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.book.prose import without_code

SEEN = re.compile(r"^#+ (?P<heading>[^\n]+)|\$\$(?P<latex>.+?)\$\$", re.M | re.S)


class Formula(NamedTuple):
    """A displayed formula: its LaTeX, and the notebook and the cell that hold it."""

    latex: str
    place: str


def formulas(root: Path) -> tuple[dict[str, Formula], dict[str, Formula]]:
    """Return the displayed formulas of the notebooks with a label, and those without.

    One without is named by its page and the heading above it, such as
    `rotary: Pairs turn`; a second one below a heading has the ending (2).
    """
    numbered: dict[str, Formula] = {}
    unnumbered: dict[str, Formula] = {}
    for path in chapters(root):
        heading = ""
        for cell in read_notebook(path).cells:
            if cell.cell_type == "markdown":
                place = f"{relative_name(path, root)}, cell {cell.id}"
                keep = partial(_keep, numbered, place)
                plain = change_equations(without_code(cell.source), keep)
                for match in SEEN.finditer(plain):
                    heading = match["heading"] or heading
                    if match["latex"]:
                        name = _unused(f"{path.stem}: {heading}", unnumbered)
                        _keep(unnumbered, place, name, match["latex"])
    return numbered, unnumbered


def _keep(found: dict[str, Formula], place: str, label: str, latex: str) -> str:
    """Keep a formula by its label, and leave nothing in its place."""
    found[label] = Formula(latex.strip(), place)
    return ""


def _unused(name: str, found: dict[str, Formula]) -> str:
    """Return a name, with the first number that makes it new."""
    numbers = (f"{name} ({i})" for i in count(2))
    return next(one for one in chain([name], numbers) if one not in found)
