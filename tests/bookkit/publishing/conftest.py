"""The book's own notebooks are read once for all tests of what is published."""

from functools import cache
from pathlib import Path

import pytest

from bookkit.book import outline
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.publishing.appendix import counts
from bookkit.publishing.maps import affected, chapters

READERS = (affected, chapters, counts, outline)
ROOT = find_root(Path(__file__))
kept = cache(read_notebook)


def read(path):
    """Read a notebook, one of a small book anew: a test may change it."""
    return kept(path) if path.is_relative_to(ROOT) else read_notebook(path)


@pytest.fixture(scope="module", autouse=True)
def _read_once():
    """To read all of them takes two seconds, and nothing here changes them."""
    with pytest.MonkeyPatch.context() as patch:
        for module in READERS:
            patch.setattr(module, "read_notebook", read)
        yield
