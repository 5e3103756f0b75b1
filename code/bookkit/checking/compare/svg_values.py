"""Compare the values of SVG attributes, as Matplotlib writes them.

Tolerances, and why:

* Coordinates: 0.1 pt on the printed picture, a twentieth of a line's width. Nobody
  sees it, it is some 3e-4 of an axis 300 pt long, and arithmetic in another order
  moves a float64 figure by less than 1e-6 pt. Where ``transform`` magnifies the
  picture the tolerance shrinks accordingly; where it shrinks it, as the outlines of
  letters, the tolerance stays.
* The linear part of a transform (scale, matrix): 1e-4 of its largest number,
  which moves nothing by more than 0.1 pt within 1,000 pt; angles: 0.05 degrees.
* Colors: 2 of 255 levels in each channel, so that a color map may round to its
  neighboring color.
* Opacity, stroke width and dashes: 1e-3.

Everything else must be the same.
"""

import math
import re
from collections.abc import Sequence

from bookkit.checking.compare.differences import note_levels, note_points

COORDINATE_TOLERANCE = 0.1
ANGLE_TOLERANCE = 0.05
LINEAR_TOLERANCE = 1e-4
COLOR_TOLERANCE = 2
OTHER_TOLERANCE = 1e-3

_COORDINATES = re.compile("[xy][12]?|width|height|viewBox")
_COLORS = re.compile("(style )?(fill|stroke|stop-color)")
_OTHERS = re.compile(
    "(style )?(((fill|stroke|stop)-)?opacity|stroke-(width|dasharray|dashoffset))"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COLOR = re.compile("#[0-9a-f]{6}")
_FUNCTION = re.compile(r"(\w+)\(([^)]*)\)")
# How many numbers of a function stand before its shift.
_LINEAR = {"translate": 0, "rotate": 1, "scale": 2, "matrix": 4}
# All that Matplotlib writes: steps that are not relative, no unit but the point.
_PATH = re.compile(r"[MLQCzZ\d\s.,-]*")
_TRANSFORM = re.compile(rf"(?:(?:{'|'.join(_LINEAR)})\([\d\s.-]*\)\s*)*")
_LENGTHS = re.compile(r"[\d\s.-]*(?:pt)?")


def is_known(name: str, value: str) -> bool:
    """Return whether the rules of this module cover the value of an attribute."""
    if name == "d":
        return _PATH.fullmatch(value) is not None
    if name.lower().endswith("transform"):
        return name == "transform" and _TRANSFORM.fullmatch(value) is not None
    return not _COORDINATES.fullmatch(name) or _LENGTHS.fullmatch(value) is not None


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def _close(a: Sequence[float], b: Sequence[float], tolerance: float) -> bool:
    return all(abs(x - y) <= tolerance for x, y in zip(a, b, strict=True))


def _near(a: Sequence[float], b: Sequence[float], tolerance: float) -> bool:
    """Compare coordinates, and note how far apart they are on the printed picture."""
    distance = max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0)
    note_points(distance * COORDINATE_TOLERANCE / tolerance)
    return distance <= tolerance


def _functions(transform: str) -> list[tuple[str, list[float]]]:
    return [(name, _numbers(inside)) for name, inside in _FUNCTION.findall(transform)]


def stretch(transform: str) -> float:
    """Return by how much a transform magnifies at most (1 for a rotation)."""
    factor = 1.0
    for name, values in _functions(transform):
        if name == "scale":
            factor *= max(map(abs, values), default=1.0)
        elif name == "matrix":
            factor *= max(math.hypot(*values[:2]), math.hypot(*values[2:4]))
    return factor


def _transforms_equal(a: str, b: str, tolerance: float) -> bool:
    """Return whether two transforms do the same, shifts within the tolerance."""
    for (name, x), (_, y) in zip(_functions(a), _functions(b), strict=True):
        shift = _LINEAR[name]
        linear = LINEAR_TOLERANCE * max(map(abs, x[:shift]), default=0.0)
        linear = ANGLE_TOLERANCE if name == "rotate" else linear
        if not _close(x[:shift], y[:shift], linear):
            return False
        if not _near(x[shift:], y[shift:], tolerance):
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


def values_equal(name: str, a: str, b: str, tolerance: float) -> bool:
    """Return whether two values of one attribute or style property are equal.

    Args:
        name: The attribute's name, which says how to read the values; that of a
            property follows the word ``style``.
        a: The stored value, which is known.
        b: The computed value, likewise.
        tolerance: How far apart coordinates may be, in the units of this element.

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
        return _transforms_equal(a, b, tolerance)
    if name == "d" or _COORDINATES.fullmatch(name):
        return _near(_numbers(a), _numbers(b), tolerance)
    others = _OTHERS.fullmatch(name) is not None
    return others and _close(_numbers(a), _numbers(b), OTHER_TOLERANCE)
