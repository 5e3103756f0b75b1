"""Compare two SVG figures: the same drawing, whatever its ids and last digits are.

Two figures are equal when they have the same elements in the same order with the same
attributes and the same text (white space aside), and when the values of the attributes
are equal within the tolerances of ``svg_values``. Left aside are comments,
``<metadata>`` (date and version of the drawing program) and the names of ids:
matplotlib makes them from a hash of the content, so ids and the references to them are
first renamed in order of appearance. Pictures inside a figure
(``data:image/png;base64,…``) follow the rule of ``png``.

Text that is drawn as outlines, matplotlib's default, is compared as outlines.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass

from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.svg_values import (
    COORDINATE_TOLERANCE,
    numbers,
    stretch,
    values_equal,
)
from bookkit.checking.compare.text import quote

MAX_CHARACTERS = 10_000_000
_WIDTH_IN_DOUBT = 500.0  # points: the width of a figure that does not tell its own
_PNG = "data:image/png;base64,"
_POINTS = {"": 1.0, "px": 1.0, "pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835}
_LENGTH = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([a-z]*)\s*")
_COMMAND = re.compile(r"[A-Za-z][^A-Za-z]*")
_REFERENCE = re.compile(r"(url\(['\"]?#)([^'\")]+)")


class _UnreadableError(ValueError):
    """The figure cannot be compared; the message says why."""


@dataclass(frozen=True)
class _Place:
    """An element: the names above it, to tell where it is, and its magnification."""

    names: tuple[str, ...]
    scale: float

    def __str__(self) -> str:
        return "/".join(self.names[-3:])

    @property
    def tolerance(self) -> float:
        return COORDINATE_TOLERANCE / max(1.0, self.scale)


def _local(name: str) -> str:
    """Return a name without its XML namespace."""
    return name.rpartition("}")[2]


def _parse(svg: str) -> ET.Element:
    """Parse a figure, refusing what could load files or grow without bound."""
    if len(svg) > MAX_CHARACTERS:
        raise _UnreadableError(
            f"has {len(svg):,} characters, more than {MAX_CHARACTERS:,}; "
            "rasterize its dense parts"
        )
    if "<!ENTITY" in svg:
        raise _UnreadableError("declares an XML entity, which no figure needs")
    try:
        return ET.fromstring(svg)
    except ET.ParseError as error:
        raise _UnreadableError(f"is not well-formed XML ({error})") from None


def _rename(value: str, attribute: str, ids: dict[str, str]) -> str:
    """Rename the ids in one value; an id met for the first time gets a new name."""

    def new(name: str) -> str:
        return ids.setdefault(name, f"id{len(ids) + 1}")

    if attribute == "id":
        return new(value)
    if attribute == "href" and value.startswith("#"):
        return "#" + new(value[1:])
    if attribute in ("aria-labelledby", "aria-describedby"):
        return " ".join(new(name) for name in value.split())
    return _REFERENCE.sub(lambda match: match[1] + new(match[2]), value)


def _properties(element: ET.Element, ids: dict[str, str]) -> dict[str, str]:
    """Return the attributes by name, each property of ``style`` on its own."""
    found = {}
    for name, value in element.attrib.items():
        if name == "style":
            for declaration in filter(str.strip, value.split(";")):
                key, _, setting = declaration.partition(":")
                found[f"style {key.strip()}"] = _rename(setting.strip(), "style", ids)
        else:
            found[_local(name)] = _rename(value, _local(name), ids)
    return found


def _words(text: str | None, ids: dict[str, str]) -> str:
    """Return a text with single spaces and, in a style sheet, with renamed ids."""
    text = " ".join((text or "").split())
    return re.sub(r"#([\w-]+)", lambda m: "#" + ids.get(m[1], m[1]), text)


def _magnification(element: ET.Element) -> float:
    """Return by how much an element magnifies what it holds."""
    if _local(element.tag) != "svg" or "viewBox" not in element.attrib:
        return stretch(element.get("transform", ""))
    box = numbers(element.attrib["viewBox"])
    length = _LENGTH.fullmatch(element.get("width", ""))
    known = length is not None and length[2] in _POINTS
    width = float(length[1]) * _POINTS[length[2]] if known else _WIDTH_IN_DOUBT
    return width / box[2] if len(box) == 4 and box[2] > 0 else 1.0


def _walk(root: ET.Element) -> Iterator[tuple[int, _Place, ET.Element]]:
    """Yield depth, place and element in document order, without metadata."""
    waiting = [(0, _Place((), 1.0), root)]
    while waiting:
        depth, parent, element = waiting.pop()
        if _local(element.tag) == "metadata":
            continue
        name = element.get("id") or _local(element.tag)
        place = _Place((*parent.names, name), parent.scale * _magnification(element))
        yield depth, place, element
        waiting += [(depth + 1, place, child) for child in reversed(element)]


def _excerpt(name: str, a: str, b: str, tolerance: float) -> tuple[str, str]:
    """Cut two long values down to the first command of a path that differs."""
    commands = zip(_COMMAND.findall(a), _COMMAND.findall(b), strict=False)
    differing = (p for p in commands if not values_equal(name, *p, tolerance))
    return next(differing, (a, b))


def _compare_values(name: str, a: str, b: str, tolerance: float) -> str | None:
    """Describe how two values of one attribute differ."""
    key = name.removeprefix("style ")
    if key == "href" and a.startswith(_PNG) and b.startswith(_PNG):
        return compare_png(a.removeprefix(_PNG), b.removeprefix(_PNG))
    if values_equal(key, a, b, tolerance):
        return None
    a, b = _excerpt(key, a, b, tolerance) if key == "d" else (a, b)
    return f"{key} stored as {quote(a)}, computed as {quote(b)}"


def _compare_elements(
    a: ET.Element, b: ET.Element, ids: tuple[dict, dict], tolerance: float
) -> str | None:
    """Describe the first difference between two elements, not what they hold."""
    tags = _local(a.tag), _local(b.tag)
    if tags[0] != tags[1]:
        return f"<{tags[0]}> is stored, <{tags[1]}> is computed"
    left, right = _properties(a, ids[0]), _properties(b, ids[1])
    if left.keys() != right.keys():
        names = ", ".join(sorted(left.keys() ^ right.keys()))
        return f"only one of the two figures sets {names}"
    for name in left:
        difference = _compare_values(name, left[name], right[name], tolerance)
        if difference:
            return difference
    for x, y in ((a.text, b.text), (a.tail, b.tail)):
        texts = _words(x, ids[0]), _words(y, ids[1])
        if texts[0] != texts[1]:
            return f"text stored as {quote(texts[0])}, computed as {quote(texts[1])}"
    return None


def _compare_trees(stored: ET.Element, computed: ET.Element) -> str | None:
    """Walk two trees side by side and describe their first difference."""
    ids: tuple[dict[str, str], dict[str, str]] = {}, {}
    before, after = _walk(stored), _walk(computed)
    while True:
        a, b = next(before, None), next(after, None)
        if a is None and b is None:
            return None
        # Two walks through the same tree go up and down together.
        if a is None or b is None or a[0] != b[0]:
            deeper_before = b is None or (a is not None and a[0] > b[0])
            place, which = (a[1], "computed") if deeper_before else (b[1], "stored")
            return f"at {place}: this element is missing in the {which} figure"
        difference = _compare_elements(a[2], b[2], ids, a[1].tolerance)
        if difference:
            return f"at {a[1]}: {difference}"


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
    trees = []
    for name, svg in (("stored", stored), ("computed", computed)):
        try:
            trees.append(_parse(svg))
        except _UnreadableError as error:
            return f"the {name} figure {error}"
    return _compare_trees(*trees)
