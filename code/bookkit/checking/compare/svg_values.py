"""Compare the values of SVG attributes: paths, transforms, lengths, colors, words.

Tolerances, and why:

* Coordinates: 0.1 pt on the printed picture, a twentieth of a line's width. Nobody
  sees it, it is some 3e-4 of an axis 300 pt long, and arithmetic in another order
  moves a float64 figure by less than 1e-6 pt. Where the picture is magnified (by
  ``viewBox`` or ``transform``) the tolerance shrinks accordingly; where it is shrunk,
  as the outlines of letters are, the tolerance stays.
* The linear part of a transform (scale, skew, matrix): 1e-4 of its largest number,
  which moves nothing by more than 0.1 pt within 1,000 pt; angles: 0.05 degrees.
* Colors: 2 of 255 levels in each channel, so that a color map may round to its
  neighboring color.
* Every other number (opacity, stroke width, dashes, font size): 1e-3.
"""

import math
import re
from collections.abc import Sequence

from PIL import ImageColor

from bookkit.checking.compare.differences import note_levels, note_points

COORDINATE_TOLERANCE = 0.1
ANGLE_TOLERANCE = 0.05
LINEAR_TOLERANCE = 1e-4
COLOR_TOLERANCE = 2
OTHER_TOLERANCE = 1e-3

_COORDINATES = re.compile(r"[xy][12]?|[cdfr][xy]|r|width|height|points|viewBox")
_COLORS = re.compile(r"color|fill|stroke|(stop|flood|lighting|background)-color")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PATH_TOKEN = re.compile(rf"({_NUMBER})|[A-Za-z]|[^\s,]")
_TOKEN = re.compile(rf"(?<![\w#.])({_NUMBER})|[\w#.-]+|[^\s,]")
_TRANSFORM = re.compile(r"(\w+)\s*\(([^)]*)\)")
_UNITS = frozenset(["pt", "px"])  # a length in another unit is no coordinate

Token = str | float


def numbers(text: str) -> list[float]:
    """Return all numbers in a list of numbers such as ``viewBox`` holds."""
    return [float(number) for number in re.findall(_NUMBER, text)]


def _tokens(text: str, pattern: re.Pattern[str]) -> list[Token]:
    return [m[0] if m[1] is None else float(m[1]) for m in pattern.finditer(text)]


def _close(a: float, b: float, tolerance: float) -> bool:
    return a == b or abs(a - b) <= tolerance


def _same(a: Sequence[Token], b: Sequence[Token], tolerance: float) -> bool:
    """Return whether words are the same and numbers close, one by one."""
    if len(a) != len(b):
        return False
    return all(
        _close(x, y, tolerance)
        if isinstance(x, float) and isinstance(y, float)
        else x == y
        for x, y in zip(a, b, strict=True)
    )


def _near(a: Sequence[Token], b: Sequence[Token], tolerance: float) -> bool:
    """Compare coordinates, and note how far apart they are on the printed picture."""
    points = COORDINATE_TOLERANCE / tolerance
    for x, y in zip(a, b, strict=False):
        if isinstance(x, float) and isinstance(y, float) and x != y:
            note_points(abs(x - y) * points)
    return _same(a, b, tolerance)


def paths_equal(a: str, b: str, tolerance: float) -> bool:
    """Return whether two paths have the same commands and close coordinates."""
    left, right = _tokens(a, _PATH_TOKEN), _tokens(b, _PATH_TOKEN)
    if any(isinstance(t, str) and t.islower() and t != "z" for t in left):
        # Relative steps add up: all of them together may use the tolerance once.
        tolerance /= len(left)
    return _near(left, right, tolerance)


def _functions(transform: str) -> list[tuple[str, list[float]]]:
    return [(name, numbers(inside)) for name, inside in _TRANSFORM.findall(transform)]


def stretch(transform: str) -> float:
    """Return by how much a transform magnifies at most (1 for a rotation)."""
    factor = 1.0
    for name, values in _functions(transform):
        if name == "scale" and values:
            factor *= max(abs(value) for value in values)
        elif name == "matrix" and len(values) == 6:
            factor *= max(math.hypot(*values[:2]), math.hypot(*values[2:4]))
    return factor


def _functions_equal(name: str, a: list[float], b: list[float], tol: float) -> bool:
    """Compare the numbers of one transform function."""
    shifts = {"translate": 0, "rotate": 1, "matrix": 4}.get(name, len(a))
    linear = LINEAR_TOLERANCE * max(map(abs, a[:shifts]), default=0.0)
    if name in ("rotate", "skewX", "skewY"):
        linear = ANGLE_TOLERANCE
    return _same(a[:shifts], b[:shifts], linear) and _near(a[shifts:], b[shifts:], tol)


def transforms_equal(a: str, b: str, tolerance: float) -> bool:
    """Return whether two transforms do the same, shifts within the tolerance."""
    words = [re.sub(_NUMBER, "0", text).replace(",", " ").split() for text in (a, b)]
    return words[0] == words[1] and all(
        _functions_equal(name, x, y, tolerance)
        for (name, x), (_, y) in zip(_functions(a), _functions(b), strict=True)
    )


def _color(text: str) -> tuple[int, ...] | None:
    """Return red, green, blue, opacity in 0..255, or None for no color."""
    try:
        channels = ImageColor.getrgb(text.strip())
    except ValueError:
        return None
    return (*channels, 255)[:4]


def colors_equal(a: str, b: str) -> bool:
    """Return whether two colors are at most two levels apart in each channel."""
    left, right = _color(a), _color(b)
    if left is None or right is None:
        return a.split() == b.split()
    distance = max(abs(x - y) for x, y in zip(left, right, strict=True))
    note_levels(distance)
    return distance <= COLOR_TOLERANCE


def _lengths_equal(a: str, b: str, tolerance: float) -> bool:
    left, right = _tokens(a, _TOKEN), _tokens(b, _TOKEN)
    words = {token for token in left if isinstance(token, str)}
    if words <= _UNITS:
        return _near(left, right, tolerance)
    return _same(left, right, OTHER_TOLERANCE)


def values_equal(name: str, a: str, b: str, tolerance: float) -> bool:
    """Return whether two values of one attribute or style property are equal.

    Args:
        name: The attribute's name, which says how to read the values.
        a: The stored value.
        b: The computed value.
        tolerance: How far apart coordinates may be, in the units of this element.

    Returns:
        True when the values are equal within the tolerances of this module.
    """
    if a == b:
        return True
    if name == "href":
        return a.split() == b.split()
    if name == "d":
        return paths_equal(a, b, tolerance)
    if name.lower().endswith("transform"):
        return transforms_equal(a, b, tolerance)
    if _COLORS.fullmatch(name):
        return colors_equal(a, b)
    if _COORDINATES.fullmatch(name):
        return _lengths_equal(a, b, tolerance)
    return _same(_tokens(a, _TOKEN), _tokens(b, _TOKEN), OTHER_TOLERANCE)
