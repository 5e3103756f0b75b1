"""A validation that overlooks something planted, or more than that, is red."""

import shutil
from pathlib import Path

import pytest

from bookkit.canary import NOTEBOOK, check
from bookkit.canary.modes import in_one_process, write
from bookkit.canary.plants import code_cells, reasons
from bookkit.notebooks import (
    NotebookError,
    canonical_bytes,
    find_root,
    read_notebook,
)

ROOT = find_root(Path(__file__))


def check_said(found, *, figures=True):
    """Check what a mode says, and return the lines of the report."""
    lines = []
    check(ROOT, {"tried": (lambda root: found, figures)}, lines.append)
    return lines


def test_exactly_what_is_planted_must_fail():
    assert check_said(reasons()) == [
        "canary, tried: 10 planted cells must fail and 13 others pass, and do"
    ]
    assert check_said(reasons(figures=False), figures=False) == [
        "canary, tried: 8 planted cells must fail and 15 others pass, and do"
    ]


@pytest.mark.parametrize("name", reasons())
def test_something_planted_that_passes_is_red(name):
    found = {key: reason for key, reason in reasons().items() if key != name}
    with pytest.raises(NotebookError, match=f"tried, {name} must fail, and passed$"):
        check_said(found)


def test_something_sound_or_tolerated_that_fails_is_red():
    for name in ("sound-text", "tolerated-decimal"):
        with pytest.raises(NotebookError, match=f"{name} must pass, and failed: a$"):
            check_said(reasons() | {name: "a"})


def test_something_planted_that_fails_for_another_reason_is_red():
    with pytest.raises(NotebookError, match=r"'stored .* and failed for: a crash"):
        check_said(reasons() | {"planted-integer": "a crash"})


def test_a_canary_without_a_planted_cell_is_red(tmp_path):
    notebook = read_notebook(ROOT / NOTEBOOK)
    notebook.cells = [c for c in notebook.cells if c.id != "planted-text"]
    root = small_book(tmp_path, notebook)
    modes = {"tried": (lambda root: reasons(), True)}
    with pytest.raises(NotebookError, match="planted-text must be a cell of tests/can"):
        check(root, modes, report=lambda line: None)


def small_book(folder, notebook):
    """Make a book that holds nothing but a canary."""
    for name in ("pyproject.toml", "_config.yml"):
        shutil.copy(ROOT / name, folder)
    path = folder / NOTEBOOK
    path.parent.mkdir(parents=True)
    path.write_bytes(canonical_bytes(notebook))
    return folder


def test_a_canary_with_nothing_wrong_is_no_canary(tmp_path):
    notebook = read_notebook(ROOT / NOTEBOOK)
    notebook.cells = notebook.cells[:3]
    code_cells(notebook)["sound-text"].execution_count = 2
    root = small_book(tmp_path, notebook)
    with pytest.raises(NotebookError, match="must be red after all of its 2 cells"):
        in_one_process(root)


def test_the_stored_canary_is_what_is_planted_on_an_executed_one(tmp_path):
    notebook = read_notebook(ROOT / NOTEBOOK)
    code_cells(notebook)["planted-text"].outputs = []
    root = small_book(tmp_path, notebook)
    assert write(root)
    assert (root / NOTEBOOK).read_bytes() == (ROOT / NOTEBOOK).read_bytes()
