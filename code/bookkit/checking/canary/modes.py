"""Try each way in which the book is validated on the canary."""

import sys
import sysconfig
import tempfile
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.book.notebooks import canonical_bytes, cell_name, read_notebook
from bookkit.checking.canary.plants import NOTEBOOK, code_cells, plant
from bookkit.checking.canary.verdict import Faults, Mode
from bookkit.checking.colab.environment import layered, lend
from bookkit.checking.colab.session import open_notebook
from bookkit.checking.compare.record import NotebookRecord
from bookkit.checking.compare.whole import compare_notebooks
from bookkit.checking.validate import SIDE_BY_SIDE, Validation, validate
from bookkit.writing.normalize import normalize
from bookkit.writing.run import CELL_TIMEOUT, execute

# The book's own packages, and what it brings into Colab.
LENT = ("chapters", "transformer", "jaxtyping", "wadler_lindig")


def side_by_side(root: Path) -> Faults:
    """Run the canary as ``make test`` runs the notebooks, several at a time."""
    return faults_in(validate(root, [root / NOTEBOOK], *SIDE_BY_SIDE), root)


def faults_in(validation: Validation, root: Path) -> Faults:
    """Return what pytest said of each cell of the canary.

    Raises:
        BookError: The run was green, or left out cells.
    """
    cells = code_cells(read_notebook(root / NOTEBOOK))
    found = validation.records.get(NOTEBOOK, NotebookRecord())
    if validation.passed or len(found.cells) != len(cells):
        raise BookError(
            f"A run of the canary must be red after all of its {len(cells)} cells; "
            f"this one ran {len(found.cells)} and said: {validation.report[-2000:]}"
        )
    names = dict(zip(found.cells, cells, strict=True))
    return {names[cell]: fault for cell, fault in found.faults.items()}


def as_in_colab(root: Path) -> Faults:
    """Run it with the packages of this interpreter, as ``make colab-test`` does."""
    packages = Path(sysconfig.get_paths()["purelib"])
    with tempfile.TemporaryDirectory() as folder:
        return open_canary(root, Path(folder), Path(sys.executable), packages)


def open_canary(root: Path, folder: Path, python: Path, packages: Path) -> Faults:
    """Open the canary as Colab opens a chapter.

    Args:
        root: The book's root.
        folder: An empty folder to work in.
        python: The interpreter.
        packages: The folder of its packages; those of the book are lent.
    """
    lent = [lend(name, folder / name) for name in LENT]
    environment = layered(folder / "env", python, packages, *lent)
    opened = open_notebook(root / NOTEBOOK, environment, folder / "open")
    notebook = read_notebook(root / NOTEBOOK)
    found = {}
    for index, cell in enumerate(notebook.cells):
        place = f"{cell_name(notebook, index)}: "
        said = [line for line in opened.differences if line.startswith(place)]
        if said:
            found[cell.id] = "\n".join(said)
    return found


def run_again(root: Path) -> Faults:
    """Run it as ``make run`` does, which fixes what it would have failed for."""
    notebook = read_notebook(root / NOTEBOOK)
    found = compare_notebooks(notebook, _executed(root))
    return {notebook.cells[index].id: "\n".join(said) for index, said in found.items()}


def _executed(root: Path) -> NotebookNode:
    """Execute the canary; nothing wrong is left in it."""
    path = root / NOTEBOOK
    stored = read_notebook(path)
    executed = execute(stored, NOTEBOOK, folder=path.parent, timeout=CELL_TIMEOUT)
    normalize(executed)
    return executed


def write(root: Path) -> bool:
    """Execute the canary, plant everything again, and say whether that changed it."""
    path, data = root / NOTEBOOK, canonical_bytes(plant(_executed(root)))
    changed = path.read_bytes() != data
    replace_file(path, data)
    return changed


# By name; and whether figures are compared, which another matplotlib draws otherwise.
MODES: dict[str, Mode] = {
    "side by side": (side_by_side, True),
    "as in Colab": (as_in_colab, False),
    "run again": (run_again, True),
}
