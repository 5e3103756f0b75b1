"""The committed drawings are what the book's outline and its parts give today."""

from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.book.outline import order_breaches, read_outline
from bookkit.checking.compare.png import compare_png
from bookkit.checking.facts import facts
from bookkit.publishing.drawings.files import PICTURES, drawn_texts

ROOT = find_root(Path(__file__))


def test_no_chapter_needs_a_later_one():
    """Then there is no cycle either."""
    assert order_breaches(read_outline(ROOT)) == []


def test_drawings_and_the_table_of_the_map_are_fresh():
    stale = [
        name
        for name, text in drawn_texts(ROOT).items()
        if (ROOT / name).read_text("utf-8") != text
    ]
    assert stale == [], "run 'make drawings'"


@facts("name", PICTURES)
@pytest.mark.pictures
def test_the_picture_is_fresh(name):
    assert compare_png((ROOT / name).read_bytes(), PICTURES[name]()) is None
