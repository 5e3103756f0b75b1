"""What is planted in the canary, and what must be said of it.

Each change is the smallest of its kind that a reader would call wrong, beside two that
lie within the tolerances.
"""

import base64
import copy
import io
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from nbformat import NotebookNode
from PIL import Image

from bookkit.book.errors import BookError
from bookkit.book.notebooks import NARROW, SVG

NOTEBOOK = "tests/canary/canary.ipynb"
PREFIXES = PLANTED, SOUND, TOLERATED = "planted-", "sound-", "tolerated-"
_CURVE = re.compile(r'(?<=<path d=")[^"]*(?=" clip-path)')
_CORNER = re.compile(r"(?<=L )\d+\.\d+")
_PICTURE = re.compile(r"(?<=data:image/png;base64,)[^\"']+")
Change = Callable[[NotebookNode], None]


@dataclass(frozen=True)
class Plant:
    """A change of the outputs of a cell.

    Args:
        change: What makes it.
        reason: What a comparison must say of it; nothing when it is tolerated.
        figure: Whether it lies in a figure.
    """

    change: Change
    reason: str = ""
    figure: bool = False


def _replace(old: str, new: str) -> Change:
    """Change a printed text or the message of an error."""

    def change(cell: NotebookNode) -> None:
        [output] = cell.outputs
        key = "evalue" if output.output_type == "error" else "text"
        output[key] = output[key].replace(old, new)

    return change


def _in_data(mime: str, edit: Callable[[str], str]) -> Change:
    """Change what a cell displays."""

    def change(cell: NotebookNode) -> None:
        [output] = cell.outputs
        output.data[mime] = edit(output.data[mime])

    return change


def _move(points: float, kind: str = SVG) -> Change:
    """Move one corner of the curve of a figure, or of its narrow form."""

    def corner(match: re.Match[str]) -> str:
        return f"{float(match[0]) + points:.6f}"

    def curve(match: re.Match[str]) -> str:
        return _CORNER.sub(corner, match[0], count=1)

    return _in_data(kind, lambda svg: _CURVE.sub(curve, svg, count=1))


def _repaint(svg: str) -> str:
    """Change one pixel of the picture inside a figure by 60 of 256 levels, or round."""
    [found] = _PICTURE.findall(svg)
    with Image.open(io.BytesIO(base64.b64decode(found))) as image:
        levels = np.array(image.convert("RGBA"))
    levels[0, 0, 0] = (int(levels[0, 0, 0]) + 60) % 256
    file = io.BytesIO()
    Image.fromarray(levels).save(file, format="PNG")
    return svg.replace(found, base64.b64encode(file.getvalue()).decode())


PLANTS = {
    "planted-text": Plant(_replace("falls", "rises"), 'stored "rises"'),
    "planted-integer": Plant(_replace("12", "13"), 'stored "13", computed "12"'),
    "planted-decimal": Plant(_replace("0.6250", "0.6252"), 'stored "0.6252"'),
    "tolerated-decimal": Plant(_replace("0.6250", "0.6251")),
    "planted-line": Plant(_replace("two\n", ""), 'line 2 is new: computed "two"'),
    "planted-silence": Plant(
        lambda cell: cell.outputs.clear(), "0 outputs are stored and 1 computed"
    ),
    "planted-error": Plant(_replace("got 2", "got 3"), 'stored "3", computed "2"'),
    "planted-page": Plant(
        _in_data("text/html", lambda page: page.replace("= 1", "= 2")),
        'stored "x = 2", computed "x = 1"',
    ),
    "planted-curve": Plant(_move(1.0), "d stored as", figure=True),
    "tolerated-curve": Plant(_move(0.05), figure=True),
    "planted-form": Plant(_move(1.0, NARROW), f"{NARROW}: ", figure=True),
    "planted-picture": Plant(
        _in_data(SVG, _repaint), "the pictures differ", figure=True
    ),
    "planted-count": Plant(
        lambda cell: cell.update(execution_count=None), "the cell was never executed"
    ),
}


def code_cells(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Return the code cells of the canary by their ids, which say what must come."""
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def plant(sound: NotebookNode) -> NotebookNode:
    """Return a copy of the executed canary with everything that is planted.

    Raises:
        BookError: A cell has another name, or what is planted changes nothing.
    """
    notebook = copy.deepcopy(sound)
    cells = code_cells(notebook)
    named = {name for name in cells if not name.startswith(SOUND)}
    if named != PLANTS.keys():
        raise BookError(
            "The canary must have a cell for each of what is planted, and others only "
            f"under names with '{SOUND}'; look at {', '.join(named ^ PLANTS.keys())}."
        )
    for name, planted in PLANTS.items():
        before = copy.deepcopy(cells[name])
        planted.change(cells[name])
        if cells[name] == before:
            raise BookError(
                f"What is planted in {name} must change an output, and changes none; "
                "mend it in bookkit/checking/canary/plants.py."
            )
    return notebook


def reasons(*, figures: bool = True) -> dict[str, str]:
    """Return what must be said of each planted cell.

    Args:
        figures: Whether figures are compared.
    """
    return {
        name: planted.reason
        for name, planted in PLANTS.items()
        if planted.reason and (figures or not planted.figure)
    }
