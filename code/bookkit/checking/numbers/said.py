"""Read the numbers that a text says: how large, how exact, and in which sentence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

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
