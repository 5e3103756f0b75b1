"""The numbered formulas of the book, as the notebooks hold them."""

from pathlib import Path

from bookkit.book.anchors import change_equations
from bookkit.book.notebooks import chapters, read_notebook


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
