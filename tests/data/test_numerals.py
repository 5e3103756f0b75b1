"""Numbers in words are those of an independent package and of the grammars."""

from random import Random

import pytest
from num2words import num2words

from transformer.data import english, french

# The package takes 2 minutes for all: these are each number below ten thousand, each
# number of thousands, and many others.
CHECKED = sorted(
    {*range(10_000), *range(0, 1_000_000, 1000)}
    | set(Random(0).sample(range(1_000_000), 20_000))
)


def test_english_is_that_of_num2words_without_commas():
    wrong = [n for n in CHECKED if english(n) != num2words(n).replace(",", "")]
    assert wrong == []


def test_french_is_that_of_num2words():
    wrong = [n for n in CHECKED if french(n) != num2words(n, lang="fr")]
    assert wrong == []


@pytest.mark.parametrize(
    ("number", "words"),
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


@pytest.mark.parametrize(
    ("number", "words"),
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


@pytest.mark.parametrize("words", [english, french])
@pytest.mark.parametrize(
    ("number", "error", "message"),
    [
        (1_000_000, ValueError, "number must be below 1000000, got 1000000; pass a"),
        (-1, ValueError, "number must be at least 0, got -1"),
        (1.5, TypeError, "number must be a whole number, got 1.5"),
    ],
)
def test_other_numbers_are_refused(words, number, error, message, refuses):
    refuses(lambda: words(number), error, message)
