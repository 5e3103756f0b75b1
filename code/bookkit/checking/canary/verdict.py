"""What must come of the canary: exactly the planted cells fail, for their reasons."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.notebooks import read_notebook
from bookkit.checking.canary.plants import NOTEBOOK, code_cells, reasons

Faults = Mapping[str, str]  # what a comparison says of cells, by their ids
Mode = tuple[Callable[[Path], Faults], bool]


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
