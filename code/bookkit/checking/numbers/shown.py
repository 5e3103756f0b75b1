"""Read the numbers that cells show: in their code, in what they print, in figures."""

import re
from collections.abc import Iterator
from html import unescape

from nbformat import NotebookNode

from bookkit.book.notebooks import HTML, SVG, TEXT, seen
from bookkit.checking.numbers.curves import values_drawn, words_drawn
from bookkit.checking.numbers.found import Found

_NUMBER = re.compile(
    r"""
    (?<![\w.])(?P<sign>[-\N{MINUS SIGN}]?)
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*\.?\d*|\.\d+)
    (?P<power>[eE][-+]?\d+)?(?P<percent>\s?%)?(?!\.?\w)
    """,
    re.X,
)
_SEED = re.compile(r"\bseed=\d+")  # prose never says which one an example has
_MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.S)


def numbers_shown(text: str) -> Iterator[float]:
    """Yield the numbers of code or of a printed text; of 5 % also 0.05."""
    for match in _NUMBER.finditer(text):
        digits = match["digits"].replace(",", "").replace("_", "")
        value = float(f"{digits}{match['power'] or ''}")
        value = -value if match["sign"] else value
        yield value
        if match["percent"]:
            yield value / 100


def shown_by(cell: NotebookNode) -> Found:
    """Collect the numbers of a code cell: its code, its outputs and its figures."""
    values, exact = set(), {*numbers_shown(_SEED.sub("", cell.source))}
    for output in cell.get("outputs", []):
        data = seen(output.get("data", {}))
        texts = [output.get("text", ""), data.get(TEXT, "")]
        texts.append(unescape(_MARKUP.sub(" ", data.get(HTML, ""))))
        if SVG in data:
            for words in words_drawn(data[SVG]):
                exact.update(numbers_shown(words))
            values.update(values_drawn(data[SVG]))
        values.update(value for text in texts for value in numbers_shown(text))
    return Found(values, exact)
