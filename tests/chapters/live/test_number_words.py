"""The numbers in words of the page are those of the package."""

from random import Random

import pytest

from bookkit.checking.facts import facts
from chapters.live import pack
from transformer.data import english, french, read_english

PROGRAM = """\
"use strict";
{engine}
const {{ english, french, read, respelled, inWords, meant, isFrench }} =
  globalThis.bookNumbers;
console.log(JSON.stringify({body}));
"""
LIMIT = 1_000_000
DRAWN = sorted({*range(2_000), *Random(0).sample(range(LIMIT), 3_000), LIMIT - 1})


@pytest.fixture(scope="module")
def tell(run_script):
    """Return what lines of JavaScript are, with the script of the page at hand."""
    engine = pack.WEIGHTS.with_name("number_words.js").read_text("utf-8")
    return lambda body: run_script(PROGRAM.format(engine=engine, body=body))


@pytest.fixture(scope="module")
def every(tell):
    """Return what the page says of the numbers that were drawn."""
    return tell(f"{DRAWN}.map((n) => [english(n), french(n), read(english(n))])")


@facts("place, words", [(0, english), (1, french)])
def test_a_number_has_the_words_of_the_package(every, place, words):
    assert [row[place] for row in every] == [words(number) for number in DRAWN]


def test_its_words_make_the_number_again(every):
    assert [row[2] for row in every] == DRAWN


def or_none(text):
    try:
        return read_english(text)
    except ValueError:
        return None


def said_otherwise():
    """Return texts of words of numbers: some are numbers, in other orders most not."""
    draw, texts = Random(1), []
    for number in draw.sample(range(LIMIT), 400):
        words = english(number)
        loose = words.replace("-", " ").replace(" and", "")
        mixed = words.split()
        draw.shuffle(mixed)
        texts += [words, loose, words.upper(), " ".join(mixed)]
    return texts


@facts(
    "texts",
    [
        pytest.param(said_otherwise(), id="drawn"),
        ["twenty-one hundred", "one thousand thousand", "thousand", "and one", ""],
        ["zero thousand", "one thousand zero", "one hundred zero", "forty-zero"],
        ["one thousand and", "two hundred and thousand", "six six", "quatre-vingts"],
    ],
)
def test_words_make_the_number_that_the_package_reads(tell, texts):
    found = tell(f"{texts}.map((text) => read(text) ?? read(respelled(text) ?? ''))")
    assert found == [or_none(text) for text in texts]


@facts(
    "typed, words",
    [
        ("42", "forty-two"),
        (" 42. ", "forty-two"),
        ("0", "zero"),
        ("007", "seven"),
        ("80,080", "eighty thousand and eighty"),
        ("999999", english(LIMIT - 1)),
    ],
)
def test_digits_are_put_into_words(tell, typed, words):
    assert tell(f"inWords({typed!r})") == words
    assert read_english(typed) == read_english(words)


@facts(
    "typed", ["1000000", "1,000,000", "8,08", "3.14", "-5", "4 2", "42 cats", "forty"]
)
def test_what_is_no_such_number_stays_as_it_is(tell, typed):
    assert tell(f"inWords({typed!r})") == typed


@facts(
    "said, number",
    [
        ("twelve hundred", 1200),
        ("Twenty-One hundred and six", 2106),
        ("nineteen hundred eighty four", 1984),
        ("ninety nine hundred", 9900),
    ],
)
def test_a_number_said_in_hundreds_is_spelled_as_the_package_spells_it(
    tell, said, number
):
    assert tell(f"respelled({said!r})") == english(number)
    assert read_english(said) == number


@facts(
    "said",
    [
        *("", "hundred", "two hundred", "ten hundred", "hundred hundred"),
        *("twelve", "twelve thousand", "eighty eighty", "twelve hundred hundred"),
        *("one hundred and one hundred", "twelve hundred and two hundred"),
    ],
)
def test_other_words_are_not_said_in_hundreds(tell, said):
    assert tell(f"respelled({said!r})") is None


@facts(
    "typed, asked",
    [
        *(("fourty", "forty"), ("ninty", "ninety"), ("hunderd", "hundred")),
        *(("tousand", "thousand"), ("eigth", "eight"), ("twleve", "twelve")),
        *(("house", None), ("ninetyseven", None), ("cats", None), ("<", None)),
    ],
)
def test_the_word_that_is_asked_for_is_that_of_the_package(tell, typed, asked):
    assert tell(f"meant({typed!r})") == asked
    question = f" \\(did you mean '{asked}'\\?\\)" if asked else ""
    with pytest.raises(ValueError, match=f", got '{typed}'{question} in '"):
        read_english(typed)


def test_french_is_told_from_english_where_they_differ(tell):
    drawn = [number for number in DRAWN if number != 6]  # six is six
    asked = f"{drawn}.map((n) => [isFrench(french(n)), isFrench(english(n))])"
    assert tell(asked) == [[True, False]] * len(drawn)
    assert tell('["six", "", "mille and cats"].map(isFrench)') == [False] * 3
