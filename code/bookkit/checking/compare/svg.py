"""Compare two figures of Matplotlib in SVG, whatever their ids and last digits are.

Two figures are equal when they have the same elements in the same order with the same
attributes and the same text (white space aside), and when the values of the attributes
are equal within the tolerances of ``svg_values``. Left aside are comments,
``<metadata>`` (date and version of the drawing program) and the names of ids:
Matplotlib makes them from a hash of the content, so ids and the references to them are
first renamed in order of appearance. Pictures inside a figure
(``data:image/png;base64,…``) follow the rule of ``png``.

Text that is drawn as outlines, Matplotlib's default, is compared as outlines. A figure
that another program drew might magnify the picture, or move all that follows: it must
stay the same, character by character.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.svg_values import values_equal
from bookkit.checking.compare.text import compare_text, quote

_PNG = "data:image/png;base64,"
_MATPLOTLIB = 'id="figure_1"'  # on the first group of each of its figures
_COMMAND = re.compile(r"[A-Za-z][^A-Za-z]*")
_REFERENCE = re.compile(r"(url\(#)([^)]+)")


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


def _excerpt(name: str, a: str, b: str) -> tuple[str, str]:
    """Cut two long values down to the first command of a path that differs."""
    commands = zip(_COMMAND.findall(a), _COMMAND.findall(b), strict=False)
    differing = (pair for pair in commands if not values_equal(name, *pair))
    return next(differing, (a, b))


def _compare_values(name: str, a: str, b: str) -> str | None:
    """Describe how two values of one attribute differ."""
    if name == "href" and a.startswith(_PNG) and b.startswith(_PNG):
        return compare_png(a.removeprefix(_PNG), b.removeprefix(_PNG))
    if values_equal(name, a, b):
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
