"""Compare the values of SVG attributes, as Matplotlib writes them.

Tolerances, and why:

* Coordinates: 0.1 pt, a twentieth of a line's width. Nobody sees it, it is some 3e-4
  of an axis 300 pt long, and arithmetic in another order moves a float64 figure by less
  than 1e-6 pt. What a transform magnifies is a picture, which has its own rule.
* The other numbers of a transform (scale, matrix, angle): 1e-4 of the largest, or
  of 0.1.
* Colors: 2 of 255 levels in each channel, so that a color map may round to its
  neighboring color.
* Opacity, stroke width and dashes: 1e-3.

Everything else must be the same.
"""

import re
from collections.abc import Sequence

from bookkit.checking.compare.differences import note_levels, note_points

COORDINATE_TOLERANCE = 0.1
LINEAR_TOLERANCE = 1e-4
COLOR_TOLERANCE = 2
OTHER_TOLERANCE = 1e-3

_COORDINATES = re.compile("d|[xy][12]?|width|height|viewBox")
_COLORS = re.compile("(style )?(fill|stroke|stop-color)")
_OTHERS = re.compile(
    "(style )?(((fill|stroke|stop)-)?opacity|stroke-(width|dasharray|dashoffset))"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COLOR = re.compile("#[0-9a-f]{6}")
_FUNCTION = re.compile(r"(\w+)\(([^)]*)\)")


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def _close(a: Sequence[float], b: Sequence[float], tolerance: float) -> bool:
    return all(abs(x - y) <= tolerance for x, y in zip(a, b, strict=True))


def _near(a: Sequence[float], b: Sequence[float]) -> bool:
    """Compare coordinates, and note how far apart they are."""
    distance = max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0)
    note_points(distance)
    return distance <= COORDINATE_TOLERANCE


def _transforms_equal(a: str, b: str) -> bool:
    """Return whether two transforms do the same, shifts as near as coordinates."""
    functions = zip(_FUNCTION.findall(a), _FUNCTION.findall(b), strict=True)
    for (name, before), (_, after) in functions:
        x, y = _numbers(before), _numbers(after)
        linear = LINEAR_TOLERANCE * max(0.1, *map(abs, x[:4]))  # before a shift
        if not (_near(x, y) if name == "translate" else _close(x, y, linear)):
            return False
    return True


def _colors_equal(a: str, b: str) -> bool:
    """Return whether two colors are at most two levels apart in each channel."""
    if not (_COLOR.fullmatch(a) and _COLOR.fullmatch(b)):
        return False
    channels = zip(bytes.fromhex(a[1:]), bytes.fromhex(b[1:]), strict=True)
    distance = max(abs(x - y) for x, y in channels)
    note_levels(distance)
    return distance <= COLOR_TOLERANCE


def values_equal(name: str, a: str, b: str) -> bool:
    """Return whether two values of one attribute or style property are equal.

    Args:
        name: The attribute's name, which says how to read the values; that of a
            property follows the word ``style``.
        a: The stored value.
        b: The computed value.

    Returns:
        True when the values are equal within the tolerances of this module.
    """
    if a == b:
        return True
    if _COLORS.fullmatch(name):
        return _colors_equal(a, b)
    # Between the numbers all must be the same.
    if _NUMBER.sub("0", a).split() != _NUMBER.sub("0", b).split():
        return False
    if name == "transform":
        return _transforms_equal(a, b)
    if _COORDINATES.fullmatch(name):
        return _near(_numbers(a), _numbers(b))
    others = _OTHERS.fullmatch(name) is not None
    return others and _close(_numbers(a), _numbers(b), OTHER_TOLERANCE)
