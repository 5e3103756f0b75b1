"""The font for Chinese has the signs of the pages, and what says who made it."""

import pytest
from fontTools.ttLib import TTFont

from bookkit.book.chinese import FONT, LABEL_FAMILY, LABEL_FONT
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.writing.chinese import write_font, write_label_font

SOURCE = find_root() / FONT
FAMILY, LICENSE = 1, 13


def say(book, words):
    (book / "book" / "page.md").write_text(f"# Page\n\nA {words}\n", "utf-8")


def test_the_font_has_the_signs_of_the_book_and_its_license(book):
    say(book, "向量、值")
    assert write_font(book, SOURCE) == 4
    font = TTFont(book / FONT)
    assert set(map(chr, font.getBestCmap())) == set("向量、值")
    assert "SIL Open Font License" in font["name"].getDebugName(LICENSE)


def test_a_font_that_lacks_a_sign_is_refused(book):
    say(book, "向龘")
    with pytest.raises(BookError, match="not 龘"):
        write_font(book, SOURCE)
    assert not (book / FONT).exists()


def test_figures_have_a_font_of_their_own_with_letters_for_formulas(book):
    labels = (book / LABEL_FONT).parent
    labels.mkdir(parents=True)
    (labels / "chapter.json").write_text('{"layer 2": "2 层"}\n', "utf-8")
    say(book, "向量")
    write_label_font(book, SOURCE.parents[3] / LABEL_FONT)
    font = TTFont(book / LABEL_FONT)
    known = set(map(chr, font.getBestCmap()))
    assert {*"层 2aZ("} <= known
    assert not known & set("向量残")
    assert font["name"].getDebugName(FAMILY) == LABEL_FAMILY
    assert "SIL Open Font License" in font["name"].getDebugName(LICENSE)
