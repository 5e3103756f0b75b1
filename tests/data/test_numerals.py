"""Numbers in words are those of an independent package and of the grammars."""

from random import Random

import pytest
from num2words import num2words

from bookkit.checking.facts import facts, some
from transformer.data import english, french, read_english

# The package takes 2 minutes for all: these are each number below a thousand, and many
# of the numbers below ten thousand, of the thousands and of the others.
CHECKED = sorted(
    {*range(1000), *some(range(10_000), 2000), *some(range(0, 1_000_000, 1000), 250)}
    | set(some(Random(0).sample(range(1_000_000), 20_000), 4000))
)


def test_english_is_that_of_num2words_without_commas():
    wrong = [n for n in CHECKED if english(n) != num2words(n).replace(",", "")]
    assert wrong == []


def test_french_is_that_of_num2words():
    wrong = [n for n in CHECKED if french(n) != num2words(n, lang="fr")]
    assert wrong == []


@facts(
    "number, words",
    [
        (0, "zero"),
        (21, "twenty-one"),
        (100, "one hundred"),
        (101, "one hundred and one"),
        (1001, "one thousand and one"),
        (1100, "one thousand one hundred"),
        (
            999_999,
            "nine hundred and ninety-nine thousand nine hundred and ninety-nine",
        ),
    ],
)
def test_english_by_hand(number, words):
    assert english(number) == words


@facts(
    "number, words",
    [
        (0, "zéro"),
        (21, "vingt et un"),
        (71, "soixante et onze"),
        (80, "quatre-vingts"),
        (81, "quatre-vingt-un"),
        (91, "quatre-vingt-onze"),
        (99, "quatre-vingt-dix-neuf"),
        (100, "cent"),
        (180, "cent quatre-vingts"),
        (200, "deux cents"),
        (201, "deux cent un"),
        (1000, "mille"),
        (1001, "mille un"),
        (80_000, "quatre-vingt mille"),
        (200_000, "deux cent mille"),
        (280_200, "deux cent quatre-vingt mille deux cents"),
    ],
)
def test_french_by_hand(number, words):
    assert french(number) == words


def test_no_two_numbers_have_the_same_words():
    numbers = range(0, 1_000_000, 23)
    assert len({english(n) for n in numbers}) == len(numbers)
    assert len({french(n) for n in numbers}) == len(numbers)


@facts("words", [english, french])
@facts(
    "number, error, message",
    [
        (1_000_000, ValueError, "number.*got 1000000.*pass"),
        (-1, ValueError, "number.*got -1"),
        (1.5, TypeError, "number.*got 1.5"),
    ],
)
def test_other_numbers_are_refused(words, number, error, message, refuses):
    refuses(lambda: words(number), error, message)


def test_each_number_is_read_however_it_is_joined():
    for number in CHECKED[::20]:
        words = english(number)
        bare = words.replace("-", " ").replace(" and ", " ").upper()
        joined = words.replace(" ", "-").title()
        found = [read_english(text) for text in (words, bare, joined, f" {number}\n")]
        assert found == 4 * [number]


@facts(
    "text, number",
    [
        ("007", 7),
        ("12,345", 12_345),
        ("a hundred and five", 105),
        ("a thousand", 1000),
        ("One Thousand, two hundred", 1200),
        ("one thousand and two hundred", 1200),
        ("a hundred two thousand three", 102_003),
        ("ninety\u2011seven", 97),
        ("Nineteen.", 19),
        ("twelve hundred", 1200),
        ("Nineteen hundred and eighty-four", 1984),
        ("ninety nine hundred six", 9906),
        ("a hundred!?", 100),
        ("497.", 497),
    ],
)
def test_what_has_one_meaning_is_read(text, number):
    assert read_english(text) == number


@facts(
    "text, strange",
    [
        *(("six rabbits", "rabbits"), ("one, two", "one,"), ("497,", "497,")),
        ("a million rabbits", "million', 'rabbits"),
        ("497 rabbits", "497', 'rabbits"),
        *((word, word) for word in ("-five", "1.5", "1,00", "ninetyseven")),
        *((word, word) for word in ("quatre", "sixty\u2013two")),
    ],
)
def test_words_of_something_else_are_named(refuses, text, strange):
    message = "each word must be one of an English number below 1000000, got "
    refuses(lambda: read_english(text), ValueError, f"{message}'{strange}' in")


@facts(
    "text, asked",
    [
        *(("fourty", "forty"), ("Ninty two", "ninety"), ("two hunderd", "hundred")),
        *(("tousand", "thousand"), ("eigth", "eight"), ("twleve", "twelve")),
        *(("house", ""), ("ninetyseven", ""), ("banana", ""), ("497 cats", "")),
    ],
)
def test_a_misspelled_word_is_asked_for(text, asked):
    question = f" \\(did you mean '{asked}'\\?\\)" if asked else ""
    with pytest.raises(ValueError, match=rf", got '[^(]*'{question} in '"):
        read_english(text)


@facts(
    "text",
    ["1000000", "1234567", "1,000,000", "One Million", "two billion and three"],
)
def test_a_number_that_is_too_large_is_said_to_be(refuses, text):
    message = f"the number must be below 1000000, got '{text}'; write one"
    refuses(lambda: read_english(text), ValueError, message)


@facts("text", ["497 12", "497, 12", "12,345 1000000 0."])
def test_several_numbers_in_digits_are_not_called_wrong_words(refuses, text):
    message = f"a text.*got '{text}', which holds several numbers"
    refuses(lambda: read_english(text), ValueError, message)


@facts(
    "text",
    [
        *("", "hundred", "a", "and", "seven seven", "twenty and one", "and one"),
        *("one hundred and", "one thousand and", "one hundred and thousand"),
        *("one and thousand", "zero thousand", "one thousand zero", "zero zero"),
        *("one thousand one thousand", "thousand", "two hundred a thousand"),
        *("five and twenty", "hundred five", "one hundred and zero"),
        *("ten hundred", "twelve hundred zero", "twelve hundred one hundred"),
        *("nineteen eighty-four", "two thousand twelve hundred", "zero hundred"),
    ],
)
def test_words_that_make_no_number_are_refused(refuses, text):
    message = "the words must make one number below 1000000, got "
    refuses(lambda: read_english(text), ValueError, f"{message}'{text}'; write one")
