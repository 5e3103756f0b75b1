"""Numbers as words, in English and in French: a small grammar for each."""

import re
from difflib import get_close_matches
from functools import cache

from transformer.checks.values import check_size

LIMIT = 1_000_000
DIGITS = re.compile("0*[0-9]{1,6}|[0-9]{1,3},[0-9]{3}")
LARGER = re.compile("[0-9]+|[0-9]{1,3}(,[0-9]{3})+")
LARGER_WORDS = {"million", "millions", "billion", "billions", "trillion", "trillions"}
EXAMPLE = "write one such as 'four hundred and ninety-seven', or 497."

# fmt: off
ENGLISH_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
    "seventeen", "eighteen", "nineteen",
)
ENGLISH_TENS = (
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)
FRENCH_SMALL = (
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf",
    "dix", "onze", "douze", "treize", "quatorze", "quinze", "seize", "dix-sept",
    "dix-huit", "dix-neuf",
)
# Seventy is sixty and ten, ninety is eighty and ten.
FRENCH_TENS = (
    "vingt", "trente", "quarante", "cinquante", "soixante", "soixante",
    "quatre-vingt", "quatre-vingt",
)
# fmt: on


def english(number: int) -> str:
    """Return a number in English words, as the British write them.

    A hyphen joins tens and ones; "and" stands before tens and ones after a hundred or
    a thousand; no commas: 999 is "nine hundred and ninety-nine", 1001 is "one thousand
    and one".

    Source: the rules of the package num2words 0.5.14 without its commas; the tests
    compare both.

    Args:
        number: At least 0 and below a million.
    """
    check_number(number)
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return english_below_thousand(rest)
    words = f"{english_below_thousand(thousands)} thousand"
    if not rest:
        return words
    joint = " and " if rest < 100 else " "
    return words + joint + english_below_thousand(rest)


@cache
def english_below_thousand(number: int) -> str:
    """Return a number below 1000 in English words."""
    if number < 20:
        return ENGLISH_SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return ENGLISH_TENS[tens - 2] + (f"-{ENGLISH_SMALL[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    words = f"{ENGLISH_SMALL[hundreds]} hundred"
    return f"{words} and {english_below_thousand(rest)}" if rest else words


def read_english(text: str) -> int:
    """Return the number below a million that English words or digits name.

    Capitals do not matter. Hyphens, and "and" after a hundred or a thousand, may be
    missing or more than `english` writes; a comma may stand after "thousand", "a" for
    the first "one", and the end of a sentence behind it. 1200 may be "twelve hundred".
    Nothing is read that could mean another number.

    Args:
        text: Such as "Four Hundred ninety seven" or "497".

    Raises:
        ValueError: If it names no number, several, or one that is too large.
    """
    said = text.strip().rstrip(".!?")
    if DIGITS.fullmatch(said):
        return int(said.replace(",", ""))
    if LARGER.fullmatch(said):
        raise ValueError(f"the number must be below {LIMIT}, got {text!r}; {EXAMPLE}")
    parts = [part.rstrip(",;") for part in said.split()]
    if len(parts) > 1 and all(map(LARGER.fullmatch, parts)):
        raise ValueError(
            f"a text must be one number, got {text!r}, which holds several numbers; "
            "put each on a line of its own, or each in quotation marks of its own."
        )
    words = spoken(said)
    strange = [word for word in words.split() if word not in vocabulary()]
    if strange and LARGER_WORDS.issuperset(strange):
        raise ValueError(f"the number must be below {LIMIT}, got {text!r}; {EXAMPLE}")
    if strange:
        raise ValueError(
            f"each word must be one of an English number below {LIMIT}, got "
            f"{', '.join(map(with_meant, strange))} in {text!r}; {EXAMPLE}"
        )
    number = number_of(words)
    if number is None:
        raise ValueError(
            f"the words must make one number below {LIMIT}, got {text!r}; {EXAMPLE}"
        )
    return number


def with_meant(word: str) -> str:
    """Return a word in quotes; ask whether one was meant that is spelled alike."""
    known = [other for other in vocabulary() if abs(len(other) - len(word)) < 3]
    close = word.isalpha() and get_close_matches(word, known, n=1, cutoff=0.75)
    return repr(word) + (f" (did you mean {close[0]!r}?)" if close else "")


def number_of(words: str) -> int | None:
    """Return the number that spoken words make, if they make one."""
    known = numbers_below_thousand()
    before, thousand, rest = map(str.strip, f" {words} ".partition(" thousand "))
    if not thousand:
        return known.get(before, said_in_hundreds(before))
    thousands, ones = known.get(before), known.get(rest, 0)
    if not thousands or (rest and not ones):
        return None
    return 1000 * thousands + ones


def said_in_hundreds(words: str) -> int | None:
    """Return the number of words such as "twelve hundred six", if they make one."""
    known = numbers_below_thousand()
    before, hundred, rest = map(str.strip, f" {words} ".partition(" hundred "))
    hundreds, ones = known.get(before, 0), known.get(rest, 0)
    if not hundred or not 10 < hundreds < 100 or ones >= 100 or (rest and not ones):
        return None
    return 100 * hundreds + ones


def spoken(text: str) -> str:
    """Return words of a number without what may be missing between them."""
    words = re.sub("(?<=[a-z])[-\u2010\u2011](?=[a-z])", " ", text.lower())
    words = " ".join(words.replace("thousand,", "thousand ").split())
    words = re.sub("^a (?=hundred|thousand)", "one ", words)
    return re.sub("(hundred|thousand) and (?!hundred|thousand)", r"\1 ", words)


@cache
def numbers_below_thousand() -> dict[str, int]:
    """Return the numbers below 1000 by their spoken words."""
    return {spoken(english_below_thousand(number)): number for number in range(1000)}


@cache
def vocabulary() -> set[str]:
    """Return all words that occur in numbers below a million."""
    return {"a", "and", "thousand", *" ".join(numbers_below_thousand()).split()}


def french(number: int) -> str:
    """Return a number in French words, as they are written in France by tradition.

    - A hyphen joins the parts below a hundred, unless "et" does: 22 is "vingt-deux",
      21 "vingt et un", 71 "soixante et onze", but 81 is "quatre-vingt-un".
    - "vingt" and "cent" end in s when they are multiplied and nothing follows, not
      even "mille": "quatre-vingts", "quatre-vingt-un", "quatre-vingt mille"; "deux
      cents", "deux cent un", "deux cent mille".
    - "mille" never changes, and no "un" stands before "cent" or "mille".

    Source: the rules of the package num2words 0.5.14; the tests compare both. The
    spelling is the one before the recommendations of 1990 (Journal officiel de la
    République française, December 6, 1990), which join all parts by hyphens.

    Args:
        number: At least 0 and below a million.
    """
    check_number(number)
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return french_below_thousand(rest)
    words = "mille"
    if thousands > 1:
        words = f"{french_below_thousand(thousands, last=False)} mille"
    return f"{words} {french_below_thousand(rest)}" if rest else words


@cache
def french_below_thousand(number: int, *, last: bool = True) -> str:
    """Return a number below 1000 in French words; `last` when nothing follows it."""
    if number < 100:
        return french_below_hundred(number, last=last)
    hundreds, rest = divmod(number, 100)
    words = "cent" if hundreds == 1 else f"{FRENCH_SMALL[hundreds]} cent"
    if rest:
        return f"{words} {french_below_hundred(rest, last=last)}"
    return f"{words}s" if last and hundreds > 1 else words


def french_below_hundred(number: int, *, last: bool) -> str:
    """Return a number below 100 in French words; `last` when nothing follows it."""
    if number < 20:
        return FRENCH_SMALL[number]
    tens, ones = divmod(number, 10)
    words = FRENCH_TENS[tens - 2]
    if tens in (7, 9):
        ones += 10
    if not ones:
        return f"{words}s" if number == 80 and last else words
    joint = " et " if ones in (1, 11) and tens < 8 else "-"
    return words + joint + FRENCH_SMALL[ones]


def check_number(number: int) -> None:
    """Check that these grammars have words for a number."""
    check_size("number", number, minimum=0)
    if number >= LIMIT:
        raise ValueError(
            f"number must be below {LIMIT}, got {number}; pass a smaller one."
        )
