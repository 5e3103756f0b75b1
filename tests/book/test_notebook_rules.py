"""Every notebook of the book keeps every rule."""

from pathlib import Path

import pytest

from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.checking.facts import facts
from bookkit.checking.rules import BOOK_RULES, RULES, broken

ROOT = find_root(Path(__file__))
NOTEBOOKS = notebook_paths(ROOT)


def test_the_book_has_chapters():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_keeps_the_rule(path):
    notebook, told = read_notebook(path), []
    for rule in RULES:
        told += broken(rule, rule(notebook, path))
    assert not told, "\n".join([relative_name(path, ROOT), *told])


@facts("rule", BOOK_RULES, ids=lambda rule: rule.__name__)
def test_the_book_keeps_the_rule(rule):
    told = broken(rule, rule(ROOT))
    assert not told, "\n".join(told)
