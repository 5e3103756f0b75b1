"""Compare two printed texts, or two pieces of HTML, the way a reader would.

A text is a list of lines; a line is a list of tokens; white space only separates
tokens, so alignment does not count and line breaks do. There are three tokens:

decimal
    a number with a decimal point: ``0.5``, ``-1.25``, ``.5``, ``1.``, ``2.5e-3``,
    ``1,234.5``. The digit groups of ``1,234.5`` belong to the number, and so does a
    sign directly before it, unless a letter comes before the sign. Letters directly
    after it are a word of their own (``1.5x``, ``0.25j``, ``12.5px``).
word
    letters, digits and underscores: ``loss``, ``d_k64``, ``64``, ``nan``, ``1e``.
    Dots inside a word belong to it (``torch.float64``, ``1.2.3``), and so do hyphens
    inside a word that starts with a letter (``ex-3``, ``ex-3.5``).
mark
    any other single character: ``%``, ``(``, ``-``.

Words and marks must be the same. So integers must be the same, as must ranges
(``3-5``) and powers without a point (``1e-5``), which are made of words and marks.

Two decimals are equal when they show the same number of decimals and differ by at
most one unit of the last printed place: ``0.1234`` and ``0.1235``; ``1.00e-05`` and
``9.99e-06``; ``-0.00`` and ``0.00``. A decimal that shows no decimals (``1.``) must
have the same value.

A device named inside a printed tensor (``, device='cuda:0'``) is left out first, and
what follows the tensor's numbers (``dtype=…``) is put back on their line.

Of two pieces of HTML the words, the attributes and the data are compared so. A decimal
in a program is no measurement: 0.5 and 0.6 are two programs, so scripts and styles must
be the same to the character. A script of the type ``application/json`` is data.
"""

import re
from dataclasses import dataclass
from itertools import zip_longest

from bookkit.checking.compare.record import note_decimals

_DECIMAL = r"""
    (?:(?<![^\W\d])[+\-\N{MINUS SIGN}])?           # a sign, not right after a letter
    (?<![\w.])                                     # the number starts here
    (?:(?:[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++)\.[0-9]*+|\.[0-9]++)
    (?:[eE][+-]?[0-9]++)?+
    (?!\.\w)(?![^\W\d]*[\d_])                      # and is no version or identifier
"""
_TOKEN = re.compile(
    rf"(?P<decimal>{_DECIMAL})|[^\W\d]\w*(?:[.\-]\w+)*|\w+(?:\.\w+)*|\S", re.VERBOSE
)
_PARTS = re.compile(r"([+\-\N{MINUS SIGN}]?)([0-9,]*)\.([0-9]*)(?:[eE](.+))?")
_DEVICE = re.compile(r",\s*device='(?:cpu|cuda|mps|xpu)(?::[0-9]+)?'")
_WRAPPED_SUFFIX = re.compile(
    r",[ \t]*\n[ \t]+(?=(?:size|dtype|requires_grad|grad_fn)=)"
)
_LONGEST_NUMBER = 1000  # characters; Python refuses to read a few thousand digits
_LONGEST_QUOTE = 100
_CODE = re.compile(
    r"(?P<open><(?P<kind>script|style)\b(?![^>]*application/json)[^>]*>)"
    r"(?P<code>.*?)(?P<close></(?P=kind)\s*>)",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True)
class _Decimal:
    """The number ``digits * 10 ** (exponent - places)`` as it was printed."""

    digits: int
    places: int
    exponent: int | None
    grouped: bool | None  # None: too small to tell

    @classmethod
    def read(cls, token: str) -> "_Decimal":
        sign, whole, fraction, exponent = _PARTS.fullmatch(token).groups()
        digits = int(whole.replace(",", "") + fraction)
        return cls(
            digits=digits if sign in ("", "+") else -digits,
            places=len(fraction),
            exponent=None if exponent is None else int(exponent),
            grouped=("," in whole) if len(whole) > 3 else None,
        )


def _decimals_equal(stored: str, computed: str) -> bool:
    """Return whether two decimals agree within one unit of the last printed place."""
    if stored == computed:
        return True
    if max(len(stored), len(computed)) > _LONGEST_NUMBER:
        return False
    a, b = _Decimal.read(stored), _Decimal.read(computed)
    if a.places != b.places or {a.grouped, b.grouped} == {True, False}:
        return False
    if (a.exponent is None) != (b.exponent is None):
        return False
    unit = 1 if a.places else 0
    difference = (a.exponent or 0) - (b.exponent or 0)
    if abs(difference) > 1:
        return a.digits == b.digits == 0
    # 1.00e-05 is followed below by 9.99e-06: count in the smaller of the two units.
    left = a.digits * 10 if difference == 1 else a.digits
    right = b.digits * 10 if difference == -1 else b.digits
    place = min(a.exponent or 0, b.exponent or 0) - a.places
    note_decimals(abs(left - right), place)
    return abs(left - right) <= unit


def _tokens(line: str) -> list[tuple[str, bool]]:
    """Split a line into tokens, each with the answer to "is it a decimal?"."""
    return [(m[0], m["decimal"] is not None) for m in _TOKEN.finditer(line)]


def _lines(text: str) -> list[str]:
    """Split a text into lines; a line end that closes the text opens no new line."""
    text = _DEVICE.sub("", text.replace("\r\n", "\n"))
    return _WRAPPED_SUFFIX.sub(", ", text).removesuffix("\n").split("\n")


def _first_difference(stored: str, computed: str) -> tuple[str, str] | None:
    """Return the first pair of tokens that differ in two lines ("" for no token)."""
    pairs = zip_longest(_tokens(stored), _tokens(computed), fillvalue=("", False))
    for (a, a_is_decimal), (b, b_is_decimal) in pairs:
        if a_is_decimal and b_is_decimal:
            if not _decimals_equal(a, b):
                return a, b
        elif a != b:
            return a, b
    return None


def quote(text: str) -> str:
    """Return the text in double quotes on one line, shortened to a readable length."""
    text = " ".join(text.split())
    if len(text) > _LONGEST_QUOTE:
        text = text[: _LONGEST_QUOTE - 2] + " …"
    return f'"{text}"'


def _say(token: str) -> str:
    return quote(token) if token else "nothing"


def compare_text(stored: str, computed: str) -> str | None:
    """Describe the first difference between two texts in one sentence.

    Args:
        stored: The text that stands in the notebook.
        computed: The text that the run gave.

    Returns:
        A sentence naming the line, what was stored and what came, or None when the
        texts are equal under the rules at the top of this module.
    """
    if stored == computed:
        return None
    before, after = _lines(stored), _lines(computed)
    counts = f" ({len(before)} lines stored, {len(after)} computed)"
    counts = "" if len(before) == len(after) else counts
    for number, (a, b) in enumerate(zip(before, after, strict=False), start=1):
        tokens = _first_difference(a, b)
        if tokens is not None:
            return (
                f"line {number}: stored {_say(tokens[0])}, computed {_say(tokens[1])}"
                f", in {quote(a)} against {quote(b)}{counts}"
            )
    if len(before) > len(after):
        number = len(after) + 1
        return f"line {number} is missing: stored {quote(before[number - 1])}{counts}"
    if len(after) > len(before):
        number = len(before) + 1
        return f"line {number} is new: computed {quote(after[number - 1])}{counts}"
    return None


def compare_html(stored: str, computed: str) -> str | None:
    """Describe the first difference between two pieces of HTML in one sentence.

    Args:
        stored: The HTML that stands in the notebook.
        computed: The HTML that the run gave.

    Returns:
        A sentence, or None when they are equal under the rules above.
    """
    if stored == computed:
        return None
    before, after = ([m["code"] for m in _CODE.finditer(x)] for x in (stored, computed))
    if len(before) != len(after):
        return f"{len(before)} scripts and styles are stored and {len(after)} computed"
    for number, (a, b) in enumerate(zip(before, after, strict=True), start=1):
        if a != b:
            line, old, new = _find_line(a, b)
            return (
                f"script or style {number}, its line {line}: stored {quote(old)}, "
                f"computed {quote(new)}"
            )
    rest = (_CODE.sub(_without_code, text) for text in (stored, computed))
    return compare_text(*rest)


def _without_code(match: re.Match[str]) -> str:
    """Keep the tags around a program, and its line ends so that lines keep a number."""
    return match["open"] + "\n" * match["code"].count("\n") + match["close"]


def _find_line(stored: str, computed: str) -> tuple[int, str, str]:
    """Find the first line that differs; a line that is missing is empty."""
    pairs = enumerate(zip_longest(stored.split("\n"), computed.split("\n")), start=1)
    return next((n, a or "", b or "") for n, (a, b) in pairs if a != b)
