"""Try each way in which the book is validated on the canary, and judge what it says."""

import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.book.notebooks import canonical_bytes, cell_name, read_notebook
from bookkit.checking.canary.plants import NOTEBOOK, code_cells, plant, reasons
from bookkit.checking.colab.environment import layered, lend, own_packages
from bookkit.checking.colab.session import open_notebook
from bookkit.checking.compare.record import NotebookRecord
from bookkit.checking.validate import SIDE_BY_SIDE, Validation, validate
from bookkit.writing.normalize import normalize
from bookkit.writing.run import CELL_TIMEOUT, execute

# The book's own packages, and what it brings into Colab.
LENT = ("chapters", "transformer", "jaxtyping", "wadler_lindig")
Faults = Mapping[str, str]  # what a comparison says of cells, by their ids
Mode = tuple[Callable[[Path], Faults], bool]


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
    """Open it as ``make colab-test`` opens a chapter, with the packages at hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lent = [lend(name, folder / name) for name in LENT]
        python = Path(sys.executable)
        environment = layered(folder / "env", python, own_packages(), *lent)
        opened = open_notebook(root / NOTEBOOK, environment, folder / "open")
    notebook = read_notebook(root / NOTEBOOK)
    found = {}
    for index, cell in enumerate(notebook.cells):
        place = f"{cell_name(notebook, index)}: "
        said = [line for line in opened if line.startswith(place)]
        if said:
            found[cell.id] = "\n".join(said)
    return found


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


def check(
    root: Path,
    modes: Mapping[str, Mode],
    report: Callable[[str], None] = print,
) -> None:
    """Validate the canary in each mode; exactly what is planted must fail.

    Args:
        root: The book's root.
        modes: What runs it, and whether that compares figures, by a name.
        report: What to do with a line of the report.

    Raises:
        BookError: A mode let something planted pass, or failed something sound.
    """
    cells = code_cells(read_notebook(root / NOTEBOOK))
    breaches = []
    with ThreadPoolExecutor(max_workers=2) as pool:  # each waits for processes
        runs = pool.map(lambda mode: mode[0](root), modes.values())
        for (name, (_, figures)), said in zip(modes.items(), runs, strict=True):
            expected = reasons(figures=figures)
            found = breaches_of(said, expected, cells)
            breaches += [f"{name}, {breach}" for breach in found]
            passed = len(cells) - len(expected)
            report(
                f"canary, {name}: {len(expected)} planted cells must fail and {passed} "
                f"others pass, {'and do' if not found else 'AND DO NOT'}"
            )
    if breaches:
        raise BookError(
            "A wrong output must be noticed, and nothing else; where it is not, no "
            "green run means anything: " + "; ".join(breaches)
        )


def breaches_of(
    found: Faults, expected: Mapping[str, str], cells: Mapping[str, NotebookNode]
) -> list[str]:
    """List the cells that did not do what they must.

    Args:
        found: What a comparison said of cells, by their ids.
        expected: What it must have said of the planted ones.
        cells: All code cells.
    """
    breaches = []
    for name in {**expected, **cells}:
        said, wanted = found.get(name), expected.get(name)
        if name not in cells:
            breaches.append(f"{name} must be a cell of {NOTEBOOK}, and is not")
        elif wanted is None and said is not None:
            breaches.append(f"{name} must pass, and failed: {said}")
        elif wanted is not None and said is None:
            breaches.append(f"{name} must fail, and passed")
        elif wanted is not None and wanted not in said:
            breaches.append(f"{name} must fail for '{wanted}', and failed for: {said}")
    return breaches


# By name; and whether figures are compared, which another matplotlib draws otherwise.
MODES: dict[str, Mode] = {
    "side by side": (side_by_side, True),
    "as in Colab": (as_in_colab, False),
}
