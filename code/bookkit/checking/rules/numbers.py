"""Rules about numbers: what prose says, a cell has shown."""

import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import FIGURE, prose_of, read_box
from bookkit.book.cells import code_cells, markdown_cells

_ADDRESS = re.compile(r"\]\(https?://[^)\s]*\)")
_DECIMAL = re.compile(r"(?<![\w.,])\d+\.\d+(?![\w.]*\w)")
IN_PROSE, IN_CAPTIONS = 3, 2  # decimals from which on a number must be traced


def decimals_come_from_cells(notebook: NotebookNode, path: Path) -> list[str]:
    """Long decimals in prose, captions and descriptions stand in some cell.

    A number with three decimals or more in prose, or two or more in the caption or the
    description of a figure, must be what a number in the code or in the printed
    outputs of the notebook rounds to.
    """
    shown = [float(number) for number in _shown(notebook)]
    return [
        f"{name} says {number}, and no cell computes or uses it; print it in a cell."
        for name, text, places in _said(notebook)
        for number in _DECIMAL.findall(text)
        if len(number.partition(".")[2]) >= places and not _is_shown(number, shown)
    ]


def _shown(notebook: NotebookNode) -> Iterator[str]:
    """Yield the decimals in the code and in the printed outputs of a notebook."""
    for _, cell in code_cells(notebook):
        yield from _DECIMAL.findall(cell.source)
        for output in cell.outputs:
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            yield from _DECIMAL.findall(text)


def _said(notebook: NotebookNode) -> Iterator[tuple[str, str, int]]:
    """Yield where, what and from how many decimals on, for each text of a notebook."""
    for name, cell in markdown_cells(notebook):
        box = read_box(cell.source)
        places = IN_CAPTIONS if box and box.kind == FIGURE else IN_PROSE
        yield name, _ADDRESS.sub("]", prose_of(cell.source)), places
    for name, cell in code_cells(notebook):
        image = cell.metadata.get("mystnb", {}).get("image", {})
        yield name, image.get("alt", ""), IN_CAPTIONS


def _is_shown(number: str, shown: list[float]) -> bool:
    """Return whether a number in a cell rounds to the one that prose says."""
    places = len(number.partition(".")[2])
    half = 0.5 * 10.0**-places * (1 + 1e-9)
    return any(abs(float(number) - other) <= half for other in shown)
