"""Templates are filled, and their numbers, links and rows are written."""

import pytest

from bookkit.book.errors import BookError
from bookkit.publishing.appendix.templates import (
    counted,
    fill,
    share,
)


@pytest.fixture
def filled(tmp_path):
    """Fill a template of some words."""

    def fill_words(words, **facts):
        (tmp_path / "a.md.jinja").write_text(words)
        return fill("a.md", facts, tmp_path)

    return fill_words


def test_a_template_is_filled_and_ends_in_one_line_end(filled):
    words = "# A\n\n{% for cells in rows %}\n{{ cells | row }}\n{% endfor %}\n\n"
    assert filled(words, rows=[(1, "x|y"), (2, "z")]) == (
        "# A\n\n| 1 | x\\|y |\n| 2 | z |\n"
    )


def test_a_page_without_a_template_is_refused(tmp_path):
    with pytest.raises(BookError, match=r"^a\.md\.jinja must be a template"):
        fill("a.md", {}, tmp_path)


def test_numbers_have_their_nouns():
    assert counted(1, "cell") == "1 cell"
    assert counted(1234, "cell") == "1,234 cells"
    assert counted(0, "cell is", "cells are") == "0 cells are"


def test_a_share_is_written_in_percent():
    assert share(1, 8) == "12.5 %"
    assert share(0, 0) == "0.0 %"
