"""A bug is planted in functions that are loaded, or refused."""

import importlib.util
import sys
from functools import wraps

import pytest

from bookkit.checking.mutants.live import (
    UnplantableError,
    changed_functions,
    live_functions,
    plant_live,
    touches,
)

SOURCE = """\
from functools import wraps

LIMIT = 7


def decorated(function):
    @wraps(function)
    def called(x):
        return function(x) + 0

    return called


@decorated
def double(x):
    return 2 * x


class Box:
    @property
    def size(self):
        return 3

    @size.setter
    def size(self, value):
        self.set = value + 0
"""


@pytest.fixture
def box(write, tmp_path):
    """The module above, loaded."""
    path = write(tmp_path / "box.py", SOURCE)
    spec = importlib.util.spec_from_file_location("box_to_change", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plant(module, old, new):
    """Plant a change of the source, with all functions there are."""
    found = live_functions(module.__spec__.origin.removesuffix("/box.py"))
    assert old in SOURCE
    changed = SOURCE.replace(old, new)
    return plant_live(module, SOURCE, changed, found[module.__file__])


def test_what_was_decorated_and_taken_along_does_the_new_thing(box):
    taken = wraps(box.double)(box.double)
    assert plant(box, "2 * x", "3 * x") == {"double"}
    assert (taken(5), box.double(5)) == (15, 15)


def test_a_function_inside_another_is_changed_where_it_lives(box):
    assert plant(box, "function(x) + 0", "function(x) + 1") == {"decorated"}
    assert box.double(5) == 11
    assert touches("decorated.<locals>.called", {"decorated"})
    assert not touches("decorated_more", {"decorated"})


def test_of_two_with_one_name_the_one_in_its_place_changes(box):
    assert plant(box, "value + 0", "value + 1") == {"Box.size"}
    made = box.Box()
    made.size = 5
    assert (made.set, made.size) == (6, 3)


def test_new_imports_and_functions_come_along(box):
    more = "import math\n\n\ndef half(x):\n    return math.floor(x / 2)\n\n\nLIMIT"
    changed = SOURCE.replace("LIMIT", more).replace("2 * x", "half(x)")
    found = live_functions(box.__spec__.origin.removesuffix("/box.py"))
    plant_live(box, SOURCE, changed, found[box.__file__])
    assert box.double(5) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 7", "LIMIT = 8"),
        ("def double(x)", "def double(x=1)"),
        ("@decorated\n", ""),
        ("    @property", "    length = 4\n\n    @property"),
        ("function(x) + 0", "(lambda: function(x) + called.n)()"),
    ],
)
def test_what_is_more_than_a_body_is_refused_and_nothing_changes(old, new, box):
    with pytest.raises(UnplantableError):
        plant(box, old, new)
    assert box.double(5) == 10


def test_what_does_not_live_is_refused(box):
    changed = SOURCE.replace("2 * x", "3 * x")
    with pytest.raises(UnplantableError, match="double must be live"):
        plant_live(box, SOURCE, changed, [])
    assert "box_to_change" not in sys.modules


def test_equal_bodies_are_no_change():
    assert changed_functions(SOURCE, SOURCE + "\n# a comment\n") == (set(), [])
