"""A cell whose output is not compared asserts what can fail, and is seen to fail.

Each such cell is run, with the statements of earlier cells that it needs. Then its
assertions are tried alone, with other values.
"""

from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.book.notebooks import IGNORE_OUTPUT, notebook_paths, read_notebook, tags
from bookkit.checking.assertions import changed_values, needed_before
from bookkit.checking.facts import facts


def _ignored():
    """List the cells that are not compared, each with the code before it."""
    for path in notebook_paths(find_root(Path(__file__))):
        cells = [c for c in read_notebook(path).cells if c.cell_type == "code"]
        for place, cell in enumerate(cells):
            if IGNORE_OUTPUT in tags(cell):
                before = [one.source for one in cells[:place]]
                yield pytest.param(cell.source, before, id=cell.id)


@facts("source, before", [*_ignored()])
def test_what_the_cell_asserts_can_fail(source, before):
    names = {}
    exec(needed_before(source, before), names)

    exec(source, names)

    changed = list(changed_values(source))
    assert changed
    for versions in changed:
        assert any(fails(version, names) for version in versions)


def fails(assertion, names):
    """Say whether an assertion fails, given the values of names."""
    try:
        exec(assertion, dict(names))
    except AssertionError:
        return True
    except TypeError:  # what has no size, and cannot be changed
        return False
    return False
