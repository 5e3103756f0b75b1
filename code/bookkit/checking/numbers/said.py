"""Read the numbers that a text says, and look them up among those that are shown.

A number is read with its size, its last place and its sentence.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

_BLANKED = re.compile(
    r"""
    \\tag\{[^}]*\}                        # the number of an equation
    | <a\ [^>]*></a>                      # an anchor
    | (?<=\])\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)   # where a link leads
    | \[[^][]*\](?=\([^()\s]*\#(?:fig|eq|thm|ex)-)     # Figure 6.1
    | \b(?:[Ff]igure|[Ee]xercise|[Tt]heorem|Lemma|Corollary|Proposition|Property|Table
        |Definition|[Ss]ection|[Ee]quation|[Aa]ppendix|[Pp]age|[Cc]hapter|[Vv]ersion)s?
        \ (?:[A-Z]\.)?\d[\d.]*(?:(?:,\ |\ and\ |\ to\ )\d[\d.]*)*
    | \(\d+\.\d\)                         # an equation
    | \b(?:T5|Llama|PyTorch|Python|CC\ BY|OFL)\ \d+\.\d+    # a name
    | \b\d+-bit\b                        # a format
    | ```.*?^```
    """,
    re.M | re.S | re.X,
)
_NUMBER = re.compile(
    r"""
    (?<![\w.,])
    (?P<digits>\d{1,3}(?:(?:,|\{,\})\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)
    (?:e(?P<e>-?\d+)|(?<=(?<![\d.])10)\^(?:\{(?P<own>-?\d+)\}|(?P<one>\d)))?
    (?![\w.]*\w)
    (?:\s*(?:\\times|\\cdot|·)\s*10\^(?:\{(?P<power>-?\d+)\}|(?P<short>\d)))?
    (?:\s?(?P<percent>\\?%|percent\b|(?:[a-z]+\ )?(?:of|in)\ (?:a\ hundred|100)\b)
      |[ ](?P<word>thousandths|thousand|million|billion))?
    """,
    re.X,
)
_SCALES = ("e", "own", "one", "power", "short", "word")
_COLUMNS = ("power", "short", "word")  # and not 3e-4, nor a power of ten alone
_WORDS = {"thousandths": 1e-3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_MINUS = re.compile(r"(?:^|[^\w)}\].,\s]\s*|\w\s+)(?:[-\N{MINUS SIGN}]|minus )\Z")
_BINARY = re.compile(r"\$[^$]*[\w)}\]]\s*[-\N{MINUS SIGN}]\s*\Z")
_PART = re.compile(
    r"\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.) )|\n(?=\|)|(?<=[.!?:])(?<!\bal\.) (?=[A-Z*$(\[])"
)
_OF = re.compile(r"\b(\d+) of (?:the |its |our |all )?(\d+)\b")
_YEAR = re.compile(r"(?:19[5-9]|20[0-4])\d")
_SLACK = 1 + 1e-6
MOST_SLIPS = 0.4


@dataclass(frozen=True)
class Number:
    """A number that a text says.

    Args:
        text: The number as it stands there.
        value: What it is.
        unit: What its last place is worth.
        begin: Where it begins.
        end: Where it ends.
        sentence: The sentence, the row or the item around it.
        plain: Its value without the word or the sign behind it.
        column: Whether it may stand so in a column of millions, or of 10^-4.
        negative: Whether it has a sign.
        percent: Whether it counts hundredths.
        counted: Whether it is one of two with `of` between them.
    """

    text: str
    value: float
    unit: float
    begin: int
    end: int
    sentence: str
    plain: float
    column: bool
    negative: bool
    percent: bool
    counted: bool

    @property
    def digits(self) -> int:
        """How many digits it has, without leading zeros."""
        return len(re.sub(r"\D", "", self.text).lstrip("0"))

    @property
    def readings(self) -> list[tuple[float, float]]:
        """What it may mean, each with what its last place is worth."""
        scale = self.unit / 10.0 ** -len(self.text.partition(".")[2])
        plain = self.unit / scale
        found = [(self.value, self.unit)]
        if self.column:
            found.append((self.plain, plain))
        if self.percent:
            found.append((self.plain / 100, plain / 100))
        return found

    @property
    def decimal(self) -> bool:
        """Whether it has a decimal point."""
        return "." in self.text


def numbers_in(text: str) -> Iterator[Number]:
    """Yield the numbers of a text that must come from somewhere.

    These are the decimals, and the whole numbers of two digits or more or with `of`
    between two of them; no years, and no numbers of figures, sections and the like.
    """
    shown = _BLANKED.sub(lambda match: " " * len(match[0]), text)
    parts = [0, *(match.end() for match in _PART.finditer(shown)), len(text)]
    counted = {i for m in _OF.finditer(shown) for i in (m.start(1), m.start(2))}
    for match in _NUMBER.finditer(shown):
        digits = re.sub(r"[{},]", "", match["digits"])
        if _is_no_count(match["digits"], shown[: match.start()]):
            continue
        scaled = any(match[name] for name in _SCALES)
        if not ("." in digits or len(digits) > 1 or scaled or match.start() in counted):
            continue
        begin = max(part for part in parts if part <= match.start())
        end = min(part for part in parts if part >= match.end("digits"))
        power = int(match["power"] or match["short"] or match["e"] or 0)
        own = match["own"] or match["one"]  # of ten itself
        power += int(own) - 1 if own else 0
        scale = 10.0**power * _WORDS.get(match["word"], 1.0)
        places = len(digits.partition(".")[2])
        before = shown[max(0, match.start() - 60) : match.start()]
        yield Number(
            text=match["digits"],
            value=float(digits) * scale,
            unit=10.0**-places * scale,
            begin=match.start(),
            end=match.end(),
            sentence=text[begin:end],
            plain=float(digits),
            column=any(match[name] for name in _COLUMNS),
            negative=bool(_MINUS.search(before)) and not _BINARY.search(before),
            percent=match["percent"] is not None,
            counted=match.start() in counted,
        )


def _is_no_count(digits: str, before: str) -> bool:
    """Say whether a number is a year, or the hundred of `5 of 100`, read as 5 %."""
    hundred = digits == "100" and before.endswith((" of ", " in "))
    return hundred or _YEAR.fullmatch(digits) is not None


def slips(number: Number) -> Iterator[Number]:
    """Yield the numbers that differ from one in a single digit."""
    scale = number.unit * 10.0 ** len(number.text.partition(".")[2])
    for place, old in enumerate(number.text):
        for new in "0123456789" if old.isdigit() else "":
            if new != old:
                text = f"{number.text[:place]}{new}{number.text[place + 1 :]}"
                plain = float(re.sub(r"[{},]", "", text))
                yield replace(number, text=text, plain=plain, value=plain * scale)


class Found:
    """Numbers that were found somewhere, with their signs.

    Args:
        rounded: Those that prose may round, as what is printed.
        exact: Those that it must say as they are, as what stands in code.
    """

    def __init__(
        self, rounded: Iterable[float] = (), exact: Iterable[float] = ()
    ) -> None:
        self.rounded, self.exact = frozenset(rounded), frozenset(exact)

    @cached_property
    def _tables(self) -> list[tuple[list[float], list[float]]]:
        """The sizes of all numbers and of those below zero: of both kinds."""
        return [
            (_sizes(values), _sizes(value for value in values if value < 0))
            for values in (self.rounded, self.exact)
        ]

    def __or__(self, other: "Found") -> "Found":
        return Found(self.rounded | other.rounded, self.exact | other.exact)

    def has(self, number: Number) -> bool:
        """Say whether one of the numbers is this one, or rounds to it.

        One with a sign must have it; one without may be the size of a negative one. A
        percentage may also be a share, and in code it must be one, or say so, because
        10 % are not 10 rows. A million may stand in a column of millions.
        """
        for (sizes, below), rounds in zip(self._tables, (True, False), strict=True):
            among = below if number.negative else sizes
            whole = rounds or not number.percent
            for value, unit in number.readings[0 if whole else -1 :]:
                half = unit / 2 * _SLACK if rounds else 1e-9 * value
                place = bisect_left(among, value - half)
                if place < len(among) and among[place] <= value + half:
                    return True
        return False

    def tells(self, number: Number) -> bool:
        """Say whether it is among the numbers, and most slips of the hand are not."""
        return self.has(number) and self.share_of_slips(number) <= MOST_SLIPS

    def share_of_slips(self, number: Number) -> float:
        """Return how many of all numbers with one other digit are here as well."""
        others = [*slips(number)]
        return sum(map(self.has, others)) / len(others)


def _sizes(values: Iterable[float]) -> list[float]:
    """Return the sizes of numbers, in order."""
    return sorted({abs(value) for value in values})
