"""Rules about code cells: short, plain, fresh, seeded, and all of them compared."""

import ast
import copy
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells
from bookkit.book.notebooks import REMOVE_CELL, tags
from bookkit.book.source import parse_code
from bookkit.writing.draw import DrawError, draw_cells

MAX_LINES = 20
_SKIPPING = {"nbval-skip", "skip-execution", "nbval-check-output"}
_MARKERS = ("NBVAL_", "PYTEST_VALIDATE_")
_SEEDING = {"manual_seed", "seed", "seed_all", "default_rng", "set_seed"}
_RANDOM = {
    "bernoulli",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
}


def code_is_plain_python(notebook: NotebookNode, path: Path) -> list[str]:
    """Every code cell is Python: no magic and no shell command.

    For engineers, who copy a cell into a program of their own.
    """
    return [
        f"{name} must be plain Python, without magics or shell commands."
        for name, cell in code_cells(notebook)
        if parse_code(cell.source) is None
    ]


def code_is_short(notebook: NotebookNode, path: Path) -> list[str]:
    """A code cell has at most 20 lines, drawn cells and the bootstrap excepted.

    For newcomers: a cell is one idea, and seen at one glance.
    """
    return [
        f"{name} must have at most {MAX_LINES} lines, and has {length}; split it."
        for name, cell in code_cells(notebook)
        if (length := len(cell.source.splitlines())) > MAX_LINES
        and "draw" not in cell.metadata
        and REMOVE_CELL not in tags(cell)
    ]


def nothing_is_skipped(notebook: NotebookNode, path: Path) -> list[str]:
    """No cell escapes from being run and compared.

    For researchers: each output that they see was computed again.
    """
    breaches = []
    for name, cell in code_cells(notebook):
        marks = sorted(_SKIPPING & set(tags(cell)))
        marks += [marker for marker in _MARKERS if marker in cell.source]
        if marks:
            breaches.append(f"{name} must run and be compared; remove {marks[0]}.")
    return breaches


def random_numbers_are_seeded(notebook: NotebookNode, path: Path) -> list[str]:
    """Random numbers come from a generator, or after a seed was set.

    For readers in Colab: their numbers are those of the page.
    """
    breaches = []
    seeded = False
    for name, cell in code_cells(notebook):
        tree = parse_code(cell.source)
        nodes = ast.walk(tree or ast.Module(body=[], type_ignores=[]))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        # A drawn class or function may draw random numbers when it is called.
        seeded = seeded or any(_called(call) in _SEEDING for call in calls)
        loose = [call for call in calls if _is_loose(call)]
        if loose and not seeded and "draw" not in cell.metadata:
            breaches.append(
                f"{name} calls {ast.unparse(loose[0].func)} before any seed is set; "
                "pass a seeded generator."
            )
    return breaches


def _called(call: ast.Call) -> str:
    """Return the last part of the name that a call calls."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else ""


def _is_loose(call: ast.Call) -> bool:
    """Return whether a call uses a library's global random generator."""
    if _called(call) not in _RANDOM or any(k.arg == "generator" for k in call.keywords):
        return False
    return ast.unparse(call.func.value) in ("torch", "np.random", "numpy.random")


def drawn_cells_are_fresh(notebook: NotebookNode, path: Path) -> list[str]:
    """Drawn cells hold the source that the package holds.

    For engineers: what they read is what they import.
    """
    try:
        stale = draw_cells(copy.deepcopy(notebook), path.name)
    except DrawError as error:
        return [str(error)]
    return [f"{sentence}; run `make draw`." for sentence in stale]
