"""Letters of formulas are signs of their own, and primes as large as a reader needs."""

from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.letters import find_letter, set_letters

RAISED = "<mrow><mo>\N{PRIME}</mo></mrow>"
BESIDE = '<mo lspace="0em" rspace="0em">{}</mo>'
PRIME, TWO = BESIDE.format("\N{PRIME}"), BESIDE.format("\N{DOUBLE PRIME}")


@facts(
    "formula, found",
    [
        ("<mi mathvariant='bold'>M</mi>", "<mi>\N{MATHEMATICAL BOLD CAPITAL M}</mi>"),
        ("<mn mathvariant='bold'>1</mn>", "<mn>\N{MATHEMATICAL BOLD DIGIT ONE}</mn>"),
        ("<mi mathvariant='normal'>M</mi>", '<mi mathvariant="normal">M</mi>'),
        ("<mi mathvariant='script'>L</mi>", "<mi>\N{SCRIPT CAPITAL L}</mi>"),
        (
            f"<mrow><msup><mo>)</mo>{RAISED}</msup></mrow>",
            f"<mrow><mo>)</mo>{PRIME}</mrow>",
        ),
        (
            f"<mi>a</mi><msup><mi>x</mi>{RAISED.replace('mo>', 'mi>')}</msup>",
            f"<mi>a</mi><mrow><mi>x</mi>{PRIME}</mrow>",
        ),
        (
            f"<mfrac><msup><mi>x</mi><mrow>{RAISED}{RAISED}</mrow></msup></mfrac>",
            f"<mfrac><mrow><mi>x</mi>{TWO}</mrow></mfrac>",
        ),
        (
            f"<msubsup><mi>x</mi><mi>v</mi>{RAISED}</msubsup>",
            f"<msub><mrow><mi>x</mi>{PRIME}</mrow><mi>v</mi></msub>",
        ),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "<msup><mi>x</mi><mn>2</mn></msup>"),
    ],
)
def test_a_letter_is_a_sign_and_a_prime_stands_beside_it(formula, found):
    math = html.fragment_fromstring(f"<math>{formula}</math>")
    set_letters(math)
    assert html.tostring(math, encoding="unicode") == f"<math>{found}</math>"


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
