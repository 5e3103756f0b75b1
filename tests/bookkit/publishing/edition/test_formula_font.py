"""The font for formulas says where the parts of a formula belong, and its license."""

import pytest
from fontTools.ttLib import TTFont
from lxml import etree

from bookkit.book.chinese import FONT as CHINESE
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.edition.formula_font import (
    FAMILY,
    FONT,
    LICENSE,
    TABLE,
    read_signs,
    write_font,
)

ROOT = find_root()
FAMILY_ID, LICENSE_ID = 1, 13


@pytest.fixture
def root(tmp_path):
    (tmp_path / FONT).parent.mkdir(parents=True)
    (tmp_path / LICENSE).write_text("Permission is granted.")
    return tmp_path


def test_the_font_keeps_its_table_and_says_its_license(root):
    assert write_font(root, ROOT / FONT) > 900
    font = TTFont(root / FONT)
    assert set(map(ord, "x+=")) | {0x1D465, 0x2211, 0x221A} <= set(font.getBestCmap())
    assert font[TABLE].table.MathConstants.SubscriptShiftDown.Value > 200
    assert font["name"].getDebugName(FAMILY_ID) == FAMILY
    assert font["name"].getDebugName(LICENSE_ID) == "Permission is granted."


def test_the_font_of_the_book_carries_the_license_beside_it():
    names = TTFont(ROOT / FONT)["name"]
    assert names.getDebugName(LICENSE_ID) == (ROOT / LICENSE).read_text("utf-8")


def test_the_sign_between_a_function_and_its_argument_is_not_drawn():
    font = TTFont(ROOT / FONT)
    name = font.getBestCmap()[ord("\N{FUNCTION APPLICATION}")]
    assert font["glyf"][name].numberOfContours == 0
    assert font["hmtx"][name] == (0, 0)


def test_a_font_without_the_table_is_refused(root):
    with pytest.raises(BookError, match=r"must have the table MATH, and chinese\.woff"):
        write_font(root, ROOT / CHINESE)
    assert not (root / FONT).exists()


@facts(
    "formula, signs",
    [
        ("<mi>x</mi>", "\N{MATHEMATICAL ITALIC SMALL X}"),
        ("<mi>h</mi>", "\N{PLANCK CONSTANT}"),
        ("<mi>ω</mi>", "\N{MATHEMATICAL ITALIC SMALL OMEGA}"),
        ("<mi mathvariant='bold'>W</mi>", "W"),
        ("<mi>max</mi><mo>\N{FUNCTION APPLICATION}</mo>", "max"),
        ("<mi>∞</mi><mn>10</mn>", "∞10"),
    ],
)
def test_a_single_letter_is_set_in_italics(formula, signs):
    assert read_signs(etree.fromstring(f"<math>{formula}</math>")) == set(signs)
