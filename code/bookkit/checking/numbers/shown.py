"""Read the numbers that cells show: in their code, in what they print, in figures."""

import re
from collections.abc import Iterator
from html import unescape
from xml.etree import ElementTree
from xml.etree.ElementTree import Comment, Element

import numpy as np
from nbformat import NotebookNode

from bookkit.book.notebooks import HTML, SVG, TEXT, seen
from bookkit.checking.numbers.said import Found

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
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_POINT = re.compile(r"[ML] ([-\d.]+) ([-\d.]+)")
_MINUS = "\N{MINUS SIGN}"
_POWER = re.compile(
    rf"\$\\mathdefault\{{([-{_MINUS}]?)10\^\{{([-{_MINUS}]?\d+)\}}\}}\$"
)
_NO_DATA = re.compile(r"legend_|text_|matplotlib\.axis_")
FEW = 24  # points; of a longer line only its ends and turns can be read off


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


def values_drawn(svg: str) -> Iterator[float]:
    """Yield what can be read off the axes of a drawing: points, ends and turns."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    for axes in ElementTree.fromstring(svg, parser).iter(f"{_SVG}g"):
        if not re.fullmatch(r"axes_\d+", axes.get("id", "")):
            continue
        lines = [
            np.array(one) for part in axes if _is_data(part) for one in _lines(part)
        ]
        for column, which in enumerate("xy"):
            ticks = [*_ticks(axes, which)]
            for line in lines:
                yield from _read_off(_notable(line[:, column]), ticks)


def words_drawn(svg: str) -> Iterator[str]:
    """Yield the words of a drawing, which Matplotlib notes beside their shapes."""
    for words in re.findall(r"<!-- (.*?) -->", svg, re.S):
        yield re.sub(r"\\mathdefault|[${}]", "", _typed(words))


def _typed(words: str) -> str:
    """Write a power of ten as one types it."""
    power = _POWER.fullmatch(words)
    return f"{power[1]}1e{power[2]}".replace(_MINUS, "-") if power else words


def _ticks(axes: Element, which: str) -> Iterator[tuple[float, float]]:
    """Yield the places and the values of the ticks whose labels are numbers."""
    for tick in axes.iter(f"{_SVG}g"):
        if re.fullmatch(rf"{which}tick_\d+", tick.get("id", "")):
            places = [
                use.get(which) for use in tick.iter(f"{_SVG}use") if use.get(which)
            ]
            labels = [part.text.strip() for part in tick.iter() if part.tag is Comment]
            try:
                number = _typed(labels[0]).replace(",", "").replace(_MINUS, "-")
                yield float(places[0]), float(number)
            except (IndexError, ValueError):
                continue


def _read_off(places: np.ndarray, ticks: list[tuple[float, float]]) -> list[float]:
    """Return the values at some places: by even steps, or by those of a logarithm."""
    at, values = np.array(ticks).reshape(-1, 2).T
    if len(at) < 2 or at[0] == at[-1]:
        return []
    ratio = values[-1] / values[0] if values.min() > 0 else np.nan
    if len(at) == 2 and np.log10(ratio) % 1 == 0:
        return []  # such as 0.1 and 1 alone: even steps or powers of ten

    def way(place: np.ndarray) -> np.ndarray:
        return (place - at[0]) / (at[-1] - at[0])

    width = values[-1] - values[0]
    if np.allclose(values[0] + width * way(at), values, rtol=0, atol=abs(width) / 100):
        return (values[0] + width * way(places)).tolist()
    along = np.log10(values[0] * ratio ** way(at) / values) if ratio > 0 else np.inf
    if np.allclose(along, 0, atol=0.02):
        return (values[0] * ratio ** way(places)).tolist()
    return []


def _is_data(part: Element) -> bool:
    """Say whether a part is no axis, legend or words, nor the box of the axes."""
    name, path = part.get("id", ""), part.find(f"{_SVG}path")
    unclipped = path is not None and path.get("clip-path") is None
    return not (_NO_DATA.match(name) or (name.startswith("patch_") and unclipped))


def _lines(part: Element) -> Iterator[list[tuple[float, float]]]:
    """Yield the lines and the marks of a part of a drawing, as lists of points."""
    shapes = {path.get("id"): path for path in part.iterfind(f".//{_SVG}defs/*")}
    for one in part.iter():
        if one.tag == f"{_SVG}path" and one.get("id") not in shapes:
            if not one.get("transform") and (points := _points(one)):
                yield points
        elif one.tag == f"{_SVG}use" and one.get("x"):
            x, y = float(one.get("x")), float(one.get("y"))
            shape = shapes.get(one.get(_LINK, "").removeprefix("#"))
            if "PolyCollection" in part.get("id", "") and shape is not None:
                yield [(x + right, y + down) for right, down in _points(shape)]
            else:
                yield [(x, y)]


def _points(path: Element) -> list[tuple[float, float]]:
    """Return the corners of a path."""
    return [(float(x), float(y)) for x, y in _POINT.findall(path.get("d", ""))]


def _notable(line: np.ndarray) -> np.ndarray:
    """Leave out of a long line what is neither an end nor a turn."""
    if len(line) <= FEW:
        return line
    turns = line[1:-1][np.diff(line)[:-1] * np.diff(line)[1:] < 0]
    ends = [line[0], line[-1], line.max(), line.min()]
    return np.array([*ends, *(turns if len(turns) <= FEW else [])])
