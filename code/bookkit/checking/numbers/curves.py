"""Read from a drawing of Matplotlib the values that it shows."""

import re
from collections.abc import Callable, Iterator
from math import log10
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_POINT = re.compile(r"[ML] ([-\d.]+) ([-\d.]+)")
_POWER = re.compile(
    r"\$\\mathdefault\{([-\N{MINUS SIGN}]?)10\^\{([-\N{MINUS SIGN}]?\d+)\}\}\$"
)
_NO_DATA = re.compile(r"(?:legend|text)_")
FEW = 24  # points; of a longer line only its ends and turns can be read off
Scale = Callable[[float], float]


def values_drawn(svg: str) -> Iterator[float]:
    """Yield what can be read off the axes of a drawing: points, ends and turns."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    for axes in ElementTree.fromstring(svg, parser).iter(f"{_SVG}g"):
        if not re.fullmatch(r"axes_\d+", axes.get("id", "")):
            continue
        ticks = {"x": [], "y": []}
        drawn = []
        for part in axes:
            if part.get("id", "").startswith("matplotlib.axis_"):
                for tick in part:
                    which = re.match(r"([xy])tick_", tick.get("id", ""))
                    if which and (found := _tick(tick, which[1])):
                        ticks[which[1]].append(found)
            elif not _is_frame(part):
                drawn.append(part)
        scales = [_scale(ticks[which]) for which in "xy"]
        for part in drawn:
            for points in _lines(part):
                for which, scale in enumerate(scales):
                    if scale:
                        line = [point[which] for point in points]
                        yield from (scale(place) for place in _notable(line))


def words_drawn(svg: str) -> Iterator[str]:
    """Yield the words of a drawing, which Matplotlib notes beside their shapes."""
    for words in re.findall(r"<!-- (.*?) -->", svg, re.S):
        yield _power(words) or re.sub(r"\\mathdefault|[${}]", "", words)


def _power(words: str) -> str | None:
    """Return a power of ten as code writes it, where words are one."""
    match = _POWER.fullmatch(words)
    return match and _typed(f"{match[1]}1e{match[2]}")


def _typed(number: str) -> str:
    """Return a number as one types it, without commas."""
    return number.replace(",", "").replace("\N{MINUS SIGN}", "-")


def _tick(tick: ElementTree.Element, which: str) -> tuple[float, float] | None:
    """Return the place and the value of a tick that has a label."""
    place = next(
        (use.get(which) for use in tick.iter(f"{_SVG}use") if use.get(which)), None
    )
    label = next(
        (part.text for part in tick.iter() if part.tag is ElementTree.Comment), None
    )
    if place is None or label is None:
        return None
    label = label.strip()
    try:
        return float(place), float(_power(label) or _typed(label))
    except ValueError:
        return None


def _scale(ticks: list[tuple[float, float]]) -> Scale | None:
    """Return what makes values of places: even steps, or those of a logarithm."""
    if len(ticks) < 2 or ticks[0][0] == ticks[-1][0]:
        return None
    (a, low), *between, (b, high) = ticks
    if not between and low > 0 and (log10(high / low) % 1) == 0:
        return None  # such as 0.1 and 1 alone: even steps or powers of ten

    def even(place: float) -> float:
        return low + (high - low) * (place - a) / (b - a)

    if all(
        abs(even(place) - value) <= 0.01 * abs(high - low) for place, value in between
    ):
        return even
    if min(value for _, value in ticks) <= 0:
        return None

    def logarithmic(place: float) -> float:
        return low * (high / low) ** ((place - a) / (b - a))

    fits = (abs(log10(logarithmic(place) / value)) < 0.02 for place, value in between)
    return logarithmic if all(fits) else None


def _is_frame(part: ElementTree.Element) -> bool:
    """Say whether a part is a legend, words, or the box and the edges of the axes."""
    name = part.get("id", "")
    path = part.find(f"{_SVG}path")
    unclipped = path is not None and path.get("clip-path") is None
    return bool(_NO_DATA.match(name)) or (name.startswith("patch_") and unclipped)


def _lines(part: ElementTree.Element) -> Iterator[list[tuple[float, float]]]:
    """Yield the lines and the marks of a part of a drawing, as lists of points."""
    marks = []
    is_area = "PolyCollection" in part.get("id", "")
    shapes = {path.get("id"): path for path in part.iterfind(f".//{_SVG}defs/*")}
    for one in part.iter():
        if one.tag == f"{_SVG}path" and one.get("id") not in shapes:
            if not one.get("transform") and (points := _points(one)):
                yield points
        elif one.tag == f"{_SVG}use" and one.get("x"):
            mark = float(one.get("x")), float(one.get("y"))
            shape = shapes.get(one.get(_LINK, "").removeprefix("#"))
            if is_area and shape is not None:
                yield [(x + mark[0], y + mark[1]) for x, y in _points(shape)]
            else:
                marks.append(mark)
    yield from ([mark] for mark in marks)


def _points(path: ElementTree.Element) -> list[tuple[float, float]]:
    """Return the corners of a path."""
    return [(float(x), float(y)) for x, y in _POINT.findall(path.get("d", ""))]


def _notable(line: list[float]) -> list[float]:
    """Leave out of a long line what is neither an end nor a turn."""
    if len(line) <= FEW:
        return line
    turns = [
        b
        for a, b, c in zip(line, line[1:], line[2:], strict=False)
        if (b - a) * (c - b) < 0
    ]
    return [
        line[0],
        line[-1],
        max(line),
        min(line),
        *(turns if len(turns) <= FEW else []),
    ]
