"""Examples worked on a page are computed."""

import pytest

from bookkit.checking.facts import facts
from bookkit.checking.numbers.worked import value_of, worked_in


@facts(
    "text",
    [
        r"$0.5 \cdot 0.7 \cdot 0.4 = 0.14$",
        r"$\ln 11 = 2.40$",
        r"$\sqrt 5 \approx 2.24$",
        r"$4\pi \approx 12.6$ positions",
        r"$(1,1) + (1.99, 0.00) = (2.99, 1.00)$",
        r"$\tfrac12 \cdot 3.0 = 1.5$",
        r"$\sqrt[3]{0.189} = 0.57$",
        r"$1/\sqrt{2{,}048{,}000} = 6.988 \cdot 10^{-4}$",
        r"$s = 0.1 + 0.25 = 0.35$ and",
        "$$\nx = 2 \\cdot 0.31 = 0.62 .\n\\tag{3.1}\n$$",
    ],
)
def test_numbers_of_an_equation_that_holds_have_a_source(text):
    found = worked_in(text)

    assert len(found.true) == 1
    assert found.false == []


@facts(
    "text",
    [
        r"$0.5 \cdot 0.7 \cdot 0.4 = 0.41$",
        r"$\ln 11 = 2.04$",
        r"$(1,1) + (1.99, 0.00) = (2.99, 1.10)$",
        r"$0.55 + 0.35 = 0.95$",
    ],
)
def test_an_equation_that_cannot_hold_is_named(text):
    found = worked_in(text)

    assert found.true == []
    assert len(found.false) == 1


@facts(
    "text",
    ["$-0.30 \\cdot 1.31 + 1.38 \\cdot 1.51 = 1.70$", r"$\cos 0.05 \approx 0.9$"],
)
def test_what_rounding_explains_is_neither(text):
    found = worked_in(text)

    assert (found.true, found.false) == ([], [])


def test_only_numbers_of_the_equation_have_their_source_in_it():
    text = r"$0.5 + 0.25 = 0.75,\quad x = 0.33$"
    found = worked_in(text)

    assert found.holds(1, 4, "0.5")
    assert not found.holds(text.index("0.33"), text.index("0.33") + 4, "0.33")


def test_a_number_beside_its_equation_needs_a_source_of_its_own():
    text = r"$0.5 + 0.25 = 0.75,\quad x = 0.75$"

    assert not worked_in(text).holds(text.rindex("0.75"), len(text) - 1, "0.75")


@facts(
    "text",
    [
        "$-0.51$",
        "$w = -0.5$",
        "$(0.43, 0.14)$",
        "$(1, 1) \\to (0.96, 1.04)$",
        "$10^{-21}$",
    ],
)
def test_a_number_between_dollars_does_not_vouch_for_itself(text):
    assert worked_in(text).values == []


def test_values_of_formulas_are_known():
    assert worked_in(r"pays $-\ln 0.6$").values == [pytest.approx(0.5108, abs=1e-4)]
    assert value_of(r"3 / \sqrt{5}; 2 + 1") == [pytest.approx(1.3416, abs=1e-4), 3]
