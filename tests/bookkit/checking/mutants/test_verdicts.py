"""Each patch gets a verdict, and one that no test notices is a fault."""

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.planting import line, plant, read_verdicts

CHAPTER = "book/part/chapter.ipynb"
CAUGHT = {
    "tests": 1,
    "first": "tests/test_masks.py::test_a_position_sees_itself",
    "seconds": 0.7,
    "timed_out": False,
    "notebooks": {CHAPTER: {"cells": 0, "first": None}},
}
UNSEEN = {
    "tests": 0,
    "first": None,
    "seconds": None,
    "timed_out": None,
    "notebooks": {CHAPTER: {"cells": 1, "first": "Cell 2"}},
}


def test_what_no_test_notices_is_named_and_recorded(planted):
    said = []
    with pytest.raises(BookError, match="let words_swapped pass; write the test"):
        plant(planted, report=said.append)
    assert said[-1] == "1 of 2 patches caught by tests."
    caught, unseen = read_verdicts(planted).values()
    assert 0.02 <= caught["seconds"] < 29
    assert caught | {"seconds": 0.7} == CAUGHT
    assert unseen == UNSEEN


def test_a_line_says_what_noticed():
    shown = {
        CHAPTER: {"cells": 2, "first": "Cell 3"},
        "other": {"cells": 0, "first": None},
    }
    assert line("bug", CAUGHT | {"notebooks": shown}) == (
        "bug: 1 tests, first tests/test_masks.py::test_a_position_sees_itself; "
        "chapter: 2 cells, first Cell 3"
    )
    assert line("bug", CAUGHT).endswith("; no notebook")
