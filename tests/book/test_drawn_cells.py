"""What the book shows of the package is what the package holds."""

from pathlib import Path

from bookkit.book.files import find_root
from bookkit.writing.draw import stale_cells


def test_drawn_cells_hold_the_source_of_the_package():
    stale = stale_cells(find_root(Path(__file__)))
    assert not stale, "\n".join([*stale, "run `make draw`"])
