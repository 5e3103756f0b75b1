"""Letters of formulas are signs of their own."""

from lxml import etree

from bookkit.checking.facts import facts
from bookkit.publishing.edition.formulas import find_letter, set_letters


@facts(
    "formula, found",
    [
        ("<mi mathvariant='bold'>M</mi>", "<mi>\N{MATHEMATICAL BOLD CAPITAL M}</mi>"),
        ("<mn mathvariant='bold'>1</mn>", "<mn>\N{MATHEMATICAL BOLD DIGIT ONE}</mn>"),
        ("<mi mathvariant='normal'>M</mi>", '<mi mathvariant="normal">M</mi>'),
        ("<mi mathvariant='script'>L</mi>", "<mi>\N{SCRIPT CAPITAL L}</mi>"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "<msup><mi>x</mi><mn>2</mn></msup>"),
    ],
)
def test_a_letter_of_a_kind_is_a_sign_of_its_own(formula, found):
    math = etree.fromstring(f"<math>{formula}</math>")
    set_letters(math)
    assert etree.tostring(math, encoding="unicode") == f"<math>{found}</math>"


@facts(
    "kind, letter, sign",
    [
        ("BOLD", "Σ", "\N{MATHEMATICAL BOLD CAPITAL SIGMA}"),
        ("ITALIC", "x", "\N{MATHEMATICAL ITALIC SMALL X}"),
        ("ITALIC", "∞", "∞"),
    ],
)
def test_a_letter_without_a_sign_of_a_kind_stays(kind, letter, sign):
    assert find_letter(kind, letter) == sign
