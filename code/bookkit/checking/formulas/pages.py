"""The formulas of the book, as the notebooks hold them."""

import re
from itertools import chain, count
from pathlib import Path

from bookkit.book.anchors import change_equations
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.book.prose import without_code

SEEN = re.compile(r"^#+ (?P<heading>[^\n]+)|\$\$(?P<latex>.+?)\$\$", re.M | re.S)


def formulas(root: Path) -> dict[str, str]:
    """Return the LaTeX of each labeled formula of the notebooks."""
    found: dict[str, str] = {}

    def note(label: str, latex: str) -> str:
        found[label] = latex.strip()
        return ""

    for path in chapters(root):
        for cell in read_notebook(path).cells:
            if cell.cell_type == "markdown":
                change_equations(cell.source, note)
    return found


def unnumbered(root: Path) -> dict[str, str]:
    """Return the LaTeX of each displayed formula without a label.

    It is named by its page and the heading above it, such as `rotary: Pairs turn`; a
    second one below a heading has the ending (2).
    """
    found: dict[str, str] = {}
    for path in chapters(root):
        heading = ""
        for cell in read_notebook(path).cells:
            if cell.cell_type == "markdown":
                plain = change_equations(without_code(cell.source), lambda *_: "")
                for match in SEEN.finditer(plain):
                    heading = match["heading"] or heading
                    if match["latex"]:
                        name = _unused(f"{path.stem}: {heading}", found)
                        found[name] = match["latex"].strip()
    return found


def _unused(name: str, found: dict[str, str]) -> str:
    """Return a name, with the first number that makes it new."""
    numbers = (f"{name} ({i})" for i in count(2))
    return next(one for one in chain([name], numbers) if one not in found)
