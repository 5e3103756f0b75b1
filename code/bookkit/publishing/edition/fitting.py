"""Fit formulas and tables to a page whose letters the reader makes larger.

A reading device breaks no formula and does not scroll. So what could be wider than a
page carries the size at which it fits: a browser tells how wide it is.
"""

from collections.abc import Iterable
from dataclasses import replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from lxml import etree

from bookkit.publishing.edition.package import Item
from bookkit.publishing.edition.press import open_site, wait_for_letters

_MEASURE = Path(__file__).with_name("fitting.js").read_text("utf-8")
_NAMES = {
    "x": "http://www.w3.org/1999/xhtml",
    "m": "http://www.w3.org/1998/Math/MathML",
}
_WIDE = "//m:math | //x:table"
# A table that its own columns share lets what is in it be as wide as it needs.
_IN_COLUMNS = (
    "ancestor::x:table[not(contains(@class, 'cards') or contains(@class, 'facts'))]"
)
_PHONE = {"width": 390, "height": 844}
_MARGINS = 40  # pixels that a device keeps on both sides of its page
_ALWAYS = 10  # letters that even the largest ones leave room for
_SPARE = 1.03  # what rounding takes
_SHORT = 8  # signs of a formula that is no wider


def fit_to_pages(items: list[Item]) -> list[Item]:
    """Let the formulas and tables of chapters fit a page, however large its letters."""
    trees = {item.name: etree.fromstring(item.content) for item in items if _asks(item)}
    sizes = _measure(items, trees) if any(map(_is_wide, trees.values())) else {}
    fitted = []
    for item in items:
        if item.name in sizes:
            tree = trees[item.name]
            for part, found in zip(_find(tree), sizes[item.name], strict=True):
                _fit(part, *found)
            text = etree.tostring(
                tree.getroottree(), encoding="utf-8", xml_declaration=True
            )
            item = replace(item, content=text)
        fitted.append(item)
    return fitted


def _measure(
    items: list[Item], names: Iterable[str]
) -> dict[str, list[tuple[float, float, float]]]:
    """Measure the formulas and tables of pages on a phone."""
    with TemporaryDirectory() as folder:
        for item in items:
            if not item.name.startswith("images/"):
                (Path(folder) / item.name).write_bytes(item.content)
        with open_site(Path(folder)) as (browser, base):
            screen = browser.new_page(viewport=_PHONE)
            found = {}
            for name in names:
                screen.goto(base + name)
                wait_for_letters(screen)
                found[name] = screen.evaluate(_MEASURE)
    return found


def _asks(item: Item) -> bool:
    return item.is_read and item.name.endswith(".xhtml")


def _find(tree: etree._Element) -> list[etree._Element]:
    return tree.xpath(_WIDE, namespaces=_NAMES)


def _is_wide(tree: etree._Element) -> bool:
    """Return whether a page may have something that is too wide."""
    return any(len("".join(part.itertext())) > _SHORT for part in _find(tree))


def _fit(part: etree._Element, width: float, lost: float, size: float) -> None:
    """Let the letters of a part be as small as a page asks for."""
    is_seen = width > 0
    if (
        not is_seen
        or width + lost <= _ALWAYS
        or part.xpath(_IN_COLUMNS, namespaces=_NAMES)
    ):
        return
    room = f"100vw - {_MARGINS}px - {ceil(10 * lost) / 10:g}em"
    fitting = f"({room}) / {ceil(10 * _SPARE * width) / 10:g}"
    style = f"font-size: min({round(size, 2):g}em, {fitting})"
    part.set("style", "; ".join(filter(None, (part.get("style"), style))))
