"""Read the numbers that cells show: in their code, in what they print, in figures."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape

from nbformat import NotebookNode

from bookkit.book.notebooks import SVG
from bookkit.checking.numbers.curves import values_drawn, words_drawn

_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-\N{MINUS SIGN}]?)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*\.?\d*|\.\d+)"
    r"(?P<power>[eE][-+]?\d+)?(?P<percent>\s?%)?(?![a-zA-Z_])"
)
_SLACK = 1 + 1e-6


@dataclass
class Shown:
    """Numbers that something shows, with their signs.

    Args:
        values: What is written somewhere.
        drawn: What can be read off a figure.
    """

    values: set[float] = field(default_factory=set)
    drawn: set[float] = field(default_factory=set)

    def __or__(self, other: "Shown") -> "Shown":
        return Shown(self.values | other.values, self.drawn | other.drawn)


def numbers_of(texts: Iterable[str]) -> Iterator[float]:
    """Yield the numbers of code and of printed texts; of 5 % also 0.05."""
    for text in texts:
        for match in _NUMBER.finditer(text):
            digits = match["digits"].replace(",", "").replace("_", "")
            value = float(f"{digits}{match['power'] or ''}")
            value = -value if match["sign"] else value
            yield value
            if match["percent"]:
                yield value / 100


def shown_by(cell: NotebookNode) -> Shown:
    """Collect what a code cell shows."""
    shown = Shown({*numbers_of([cell.source])})
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        html = unescape(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", data.get("text/html", ""), flags=re.S))
        texts = [output.get("text", ""), data.get("text/plain", ""), html]
        if SVG in data:
            texts += words_drawn(data[SVG])
            shown.drawn.update(values_drawn(data[SVG]))
        shown.values.update(numbers_of(texts))
    return shown
