"""What a text means: a word, a number or a truth, however it is written."""

import re
from contextlib import suppress
from fractions import Fraction

MINUS, EN_DASH, TIMES = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
SEPARATORS = "_ -"  # between the parts of a name such as top-k
_GROUPED = re.compile(r"(-?[1-9]\d{0,2})(?:,\d{3}|\s\d{3})+(?:\.\d+)?")
_MARKS = " \t\n\"'`*()"  # around a word: space, quotes, and what the page sets it with
_STOPS = ".,;:"  # behind a word
_TRUTHS = {"true": True, "false": False}


def bare_word(text: str) -> str:
    """Return a word without capitals, and without what stands around it."""
    return text.strip(_MARKS).rstrip(_STOPS + _MARKS).casefold()


def respelled(text: str, separator: str) -> str:
    """Return a name with this separator between its parts."""
    return re.sub(f"[{SEPARATORS}]", separator, text)


def meaning(text: str) -> Fraction | bool | str:
    """Return what a text such as 4/9, 44%, 2x, 1,024 or True says, or the text."""
    if text.strip().casefold() in _TRUTHS:
        return _TRUTHS[text.strip().casefold()]
    digits = text.replace(MINUS, "-").replace(EN_DASH, "-").strip()
    whole = 100 if digits.endswith("%") else 1
    digits = digits.rstrip(f"%x{TIMES}").lstrip(f"x{TIMES}").strip()
    if _GROUPED.fullmatch(digits):
        digits = re.sub(r"[,\s]", "", digits)
    with suppress(ValueError, ZeroDivisionError):
        return Fraction(digits) / whole
    return text
