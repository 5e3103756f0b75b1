"""Compare two figures of Matplotlib in SVG, whatever their ids and last digits are.

Two figures are equal when they have the same elements in the same order with the same
attributes and the same text (white space aside), and when the values of the attributes
are equal within the tolerances below. Left aside are comments, ``<metadata>`` (date and
version of the drawing program) and the names of ids: Matplotlib makes them from a hash
of the content, so ids and the references to them are first renamed in order of
appearance. Pictures inside a figure (``data:image/png;base64,…``) follow the rule of
``png``.

Text that is drawn as outlines, Matplotlib's default, is compared as outlines. A figure
that another program drew might magnify the picture, or move all that follows: it must
stay the same, character by character.

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
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.record import note_levels, note_points
from bookkit.checking.compare.text import compare_text, quote

_PNG = "data:image/png;base64,"
_MATPLOTLIB = 'id="figure_1"'  # on the first group of each of its figures
_COMMAND = re.compile(r"[A-Za-z][^A-Za-z]*")
_REFERENCE = re.compile(r"(url\(#)([^)]+)")
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


@dataclass(frozen=True)
class _Element:
    """An element: what it is and holds, and the names that lead to it."""

    tag: str
    values: dict[str, str]
    depth: int
    place: str


def _local(name: str) -> str:
    """Return a name without its XML namespace."""
    return name.rpartition("}")[2]


def _parse(svg: str) -> ET.Element:
    """Parse a figure, and leave its metadata aside."""
    root = ET.fromstring(svg)
    for metadata in root.findall("{*}metadata"):
        root.remove(metadata)
    return root


def _rename(value: str, attribute: str, ids: dict[str, str]) -> str:
    """Rename the ids in one value; an id met for the first time gets a new name."""

    def new(name: str) -> str:
        return ids.setdefault(name, f"id{len(ids) + 1}")

    if attribute == "id":
        return new(value)
    if attribute == "href" and value.startswith("#"):
        return "#" + new(value[1:])
    return _REFERENCE.sub(lambda match: match[1] + new(match[2]), value)


def _values(element: ET.Element, ids: dict[str, str]) -> dict[str, str]:
    """Return attributes, properties of ``style`` and texts by name."""
    texts = {"text": element.text, "text after": element.tail}
    found = {name: " ".join((text or "").split()) for name, text in texts.items()}
    for name, value in element.attrib.items():
        if name == "style":
            for declaration in filter(str.strip, value.split(";")):
                key, _, setting = declaration.partition(":")
                found[f"style {key.strip()}"] = _rename(setting.strip(), "style", ids)
        else:
            found[_local(name)] = _rename(value, _local(name), ids)
    return found


def _walk(root: ET.Element) -> Iterator[_Element]:
    """Yield the elements in document order."""
    ids: dict[str, str] = {}
    waiting: list[tuple[ET.Element, tuple[str, ...], int]] = [(root, (), 0)]
    while waiting:
        element, above, depth = waiting.pop()
        tag = _local(element.tag)
        names = (*above, element.get("id") or tag)[-3:]
        yield _Element(tag, _values(element, ids), depth, "/".join(names))
        waiting += [(child, names, depth + 1) for child in reversed(element)]


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


def _values_equal(name: str, a: str, b: str) -> bool:
    """Return whether two values of one attribute or property of a style are equal.

    The name says how to read them; that of a property follows the word ``style``.
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


def _excerpt(name: str, a: str, b: str) -> tuple[str, str]:
    """Cut two long values down to the first command of a path that differs."""
    commands = zip(_COMMAND.findall(a), _COMMAND.findall(b), strict=False)
    differing = (pair for pair in commands if not _values_equal(name, *pair))
    return next(differing, (a, b))


def _compare_values(name: str, a: str, b: str) -> str | None:
    """Describe how two values of one attribute differ."""
    if name == "href" and a.startswith(_PNG) and b.startswith(_PNG):
        return compare_png(a.removeprefix(_PNG), b.removeprefix(_PNG))
    if _values_equal(name, a, b):
        return None
    a, b = _excerpt(name, a, b) if name == "d" else (a, b)
    name = name.removeprefix("style ")
    return f"{name} stored as {quote(a)}, computed as {quote(b)}"


def _compare_elements(a: _Element, b: _Element) -> str | None:
    """Describe the first difference between two elements, not what they hold."""
    if a.tag != b.tag:
        return f"<{a.tag}> is stored, <{b.tag}> is computed"
    if a.values.keys() != b.values.keys():
        names = ", ".join(sorted(a.values.keys() ^ b.values.keys()))
        return f"only one of the two figures sets {names}"
    differences = (
        _compare_values(name, value, b.values[name]) for name, value in a.values.items()
    )
    return next(filter(None, differences), None)


def _compare_trees(stored: ET.Element, computed: ET.Element) -> str | None:
    """Walk two trees side by side and describe their first difference."""
    for a, b in zip_longest(_walk(stored), _walk(computed)):
        # Two walks through the same tree go up and down together.
        if a is None or b is None or a.depth != b.depth:
            deeper_before = b is None or (a is not None and a.depth > b.depth)
            element, which = (a, "computed") if deeper_before else (b, "stored")
            return f"at {element.place}: this element is missing in the {which} figure"
        if difference := _compare_elements(a, b):
            return f"at {a.place}: {difference}"
    return None


def compare_svg(stored: str, computed: str) -> str | None:
    """Describe the first difference between two SVG figures in one sentence.

    Args:
        stored: The figure that stands in the notebook.
        computed: The figure that the run gave.

    Returns:
        A sentence, or None when the figures are equal within the tolerances.
    """
    if stored == computed:
        return None
    if not (_MATPLOTLIB in stored and _MATPLOTLIB in computed):
        difference = compare_text(stored, computed) or "other digits or spaces"
        return f"what Matplotlib has not drawn must stay the same: {difference}"
    return _compare_trees(_parse(stored), _parse(computed))
