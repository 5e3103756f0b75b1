"""A validation that overlooks something planted, or sees more, is red."""

from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import canonical_bytes, read_notebook
from bookkit.checking.canary import NOTEBOOK, check
from bookkit.checking.canary.plants import reasons
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))


def check_said(found, *, figures=True):
    """Check what a mode says, and return the lines of the report."""
    lines = []
    check(ROOT, {"tried": (lambda root: found, figures)}, lines.append)
    return lines


def test_exactly_what_is_planted_must_fail():
    assert check_said(reasons()) == [
        "canary, tried: 11 planted cells must fail and 14 others pass, and do"
    ]
    assert check_said(reasons(figures=False), figures=False) == [
        "canary, tried: 8 planted cells must fail and 17 others pass, and do"
    ]


@facts("name", reasons())
def test_something_planted_that_passes_is_red(name):
    found = {key: reason for key, reason in reasons().items() if key != name}
    with pytest.raises(BookError, match=f"tried, {name} must fail, and passed$"):
        check_said(found)


def test_something_sound_or_tolerated_that_fails_is_red():
    for name in ("sound-text", "tolerated-decimal"):
        with pytest.raises(BookError, match=f"{name} must pass, and failed: a$"):
            check_said(reasons() | {name: "a"})


def test_something_planted_that_fails_for_another_reason_is_red():
    with pytest.raises(BookError, match=r"'stored .* and failed for: a crash"):
        check_said(reasons() | {"planted-integer": "a crash"})


def test_a_canary_without_a_planted_cell_is_red(checked_book):
    path = checked_book / NOTEBOOK
    notebook = read_notebook(path)
    notebook.cells = [c for c in notebook.cells if c.id != "planted-text"]
    path.write_bytes(canonical_bytes(notebook))
    modes = {"tried": (lambda root: reasons(), True)}
    with pytest.raises(BookError, match="planted-text must be a cell of tests/can"):
        check(checked_book, modes, report=lambda line: None)
