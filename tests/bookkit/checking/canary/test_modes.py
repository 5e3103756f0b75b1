"""Each way of validation is red for the canary, and a run mends it."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.notebooks import canonical_bytes, read_notebook
from bookkit.checking.canary import NOTEBOOK
from bookkit.checking.canary.modes import side_by_side, write
from bookkit.checking.canary.plants import code_cells


@pytest.fixture
def canary(checked_book):
    """Return a function that changes the canary of a small book."""
    path = checked_book / NOTEBOOK

    def change(edit):
        notebook = read_notebook(path)
        edit(notebook)
        path.write_bytes(canonical_bytes(notebook))
        return path

    return change


def test_a_canary_with_nothing_wrong_is_no_canary(checked_book, canary):
    def keep_what_is_sound(notebook):
        notebook.cells = notebook.cells[:3]

    canary(keep_what_is_sound)
    with pytest.raises(BookError, match="must be red after all of its 2 cells"):
        side_by_side(checked_book)


@pytest.mark.pictures
def test_the_stored_canary_is_what_is_planted_on_an_executed_one(checked_book, canary):
    stored = (checked_book / NOTEBOOK).read_bytes()
    path = canary(lambda book: code_cells(book)["planted-text"].outputs.clear())
    assert write(checked_book)
    assert path.read_bytes() == stored
