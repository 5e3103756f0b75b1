"""The numbers of a sentence are read as a reader takes them."""

import pytest

from bookkit.checking.facts import facts
from bookkit.checking.numbers.said import Found, numbers_in, slips


@facts(
    "text, value, unit",
    [
        ("a loss of 0.51 nats", 0.51, 0.01),
        ("$.53$ of them", 0.53, 0.01),
        ("37,000 tokens", 37000, 1),
        (r"$2{,}097{,}152$ weights", 2097152, 1),
        (r"$3.2 \cdot 10^{-5}$", 3.2e-5, 1e-6),
        (r"a change of $10^{-5}$", 1e-5, 1e-6),
        ("134.5 million parameters", 134.5e6, 1e5),
        ("0.7 thousandths", 7e-4, 1e-4),
    ],
)
def test_a_number_has_its_size_and_its_last_place(text, value, unit):
    [number] = numbers_in(text)

    assert number.value == pytest.approx(value, rel=1e-12)
    assert number.unit == pytest.approx(unit, rel=1e-12)


@facts(
    "text",
    [
        "in 2017, and 5 letters",
        "version 1.2.345 and T5 1.1",
        "[Figure 6.1](#fig-turns), Theorem 3.3 and sections 3.1 and 5.4",
        r"$$ x = y \tag{24.1} $$ by (24.1)",
        "**Figure 6.1.** A turn.",
        "[a](https://arxiv.org/abs/1706.03762)",
        "`x_0.5` and 2x",
        "a 16-bit format",
        "```\n0.125\n```",
    ],
)
def test_what_only_looks_like_a_number_is_none(text):
    assert [number.text for number in numbers_in(text)] == []


@facts(
    "text, negative",
    [
        ("it is $-0.22$", True),
        ("minus 0.22", True),
        ("| \N{MINUS SIGN}0.22 |", True),
        ("$x - 0.22$", False),
        ("from 0.11-0.22", False),
    ],
)
def test_a_sign_is_told_from_a_difference(text, negative):
    assert [*numbers_in(text)][-1].negative is negative


def test_both_numbers_of_a_count_must_come_from_somewhere():
    numbers = [(n.text, n.counted) for n in numbers_in("3 of 12 heads, 7 others")]

    assert numbers == [("3", True), ("12", True)]


def test_a_sentence_and_a_row_end_where_readers_see_it():
    text = "It is 0.51. [A](https://b.c) says 0.62.\n\n| a | 0.73 |\n| b | 0.84 |"

    sentences = {number.text: number.sentence.strip() for number in numbers_in(text)}

    assert sentences == {
        "0.51": "It is 0.51.",
        "0.62": "[A](https://b.c) says 0.62.",
        "0.73": "| a | 0.73 |",
        "0.84": "| b | 0.84 |",
    }


@facts(
    "said, shown, found",
    [
        ("0.51", {0.5149}, True),
        ("0.51", {0.5151}, False),
        ("0.51", {0.505}, True),
        ("0.50", {0.5}, True),
        ("$-0.51$", {0.51}, False),
        ("falls by 0.51", {-0.51}, True),
        ("51 % of", {0.51}, True),
        ("51 of 100", {0.512}, True),
        ("51", {0.51}, False),
        ("134.5 million", {134_515_008}, True),
        ("134.5 million", {134.5}, True),
        ("134.5 million", {134_600_000}, False),
        ("near 3e-3", {0.003}, True),
        ("near 3e-3", {3}, False),
        (r"about $10^{9}$", {10}, False),
        (r"$3.2 \cdot 10^{-5}$", {3.2}, True),
    ],
)
def test_what_a_cell_prints_is_rounded_as_prose_rounds(said, shown, found):
    number = next(numbers_in(said))

    assert Found(shown).has(number) is found


def test_what_stands_in_code_is_said_as_it_is():
    [number] = numbers_in("a rate of 0.01")

    assert Found(exact={0.01}).has(number)
    assert not Found(exact={0.0123}).has(number)


@facts("percent", ["10 %", "10 of 100"])
def test_a_percentage_in_code_is_a_share_or_says_so(percent):
    number = next(numbers_in(percent))

    assert Found(exact={0.1}).has(number)
    assert not Found(exact={10}).has(number)


def test_slips_differ_in_one_digit():
    [number] = numbers_in("0.51")

    assert len([*slips(number)]) == 27
    assert {"0.61", "0.50", "9.51"} < {slip.text for slip in slips(number)}
    assert {slip.value for slip in slips(number) if slip.text == "0.61"} == {0.61}


def test_a_crowd_tells_nothing():
    [number] = numbers_in("0.51")
    crowd = {i / 100 for i in range(100)}

    assert Found(crowd).has(number)
    assert not Found(crowd).tells(number)
    assert Found({0.51, 0.61}).tells(number)
