"""Every notebook of the book keeps every rule."""

from functools import cache
from pathlib import Path

import pytest

from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.checking.rules import BOOK_RULES, RULES

ROOT = find_root(Path(__file__))
NOTEBOOKS = notebook_paths(ROOT)
read_once = cache(read_notebook)


def test_the_book_has_chapters():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_keeps_the_rule(path, rule):
    breaches = rule(read_once(path), path)
    name = relative_name(path, ROOT)
    assert not breaches, "\n".join([f"{name}: {rule.__doc__}", *breaches])


@pytest.mark.parametrize("rule", BOOK_RULES, ids=lambda rule: rule.__name__)
def test_the_book_keeps_the_rule(rule):
    breaches = rule(ROOT)
    assert not breaches, "\n".join([rule.__doc__, *breaches])
