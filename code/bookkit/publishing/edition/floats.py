"""Let figures float on paper: a browser leaves a page empty below what does not fit.

A figure stays whole. One for which a page has no room goes to the next page, and what
follows it too. So the book is printed to see where its figures stand, and where one
leaves too much room, text that follows it goes before it, which its number allows.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

import pikepdf
import pypdfium2
from lxml.html import HtmlElement, builder

if TYPE_CHECKING:
    from bookkit.publishing.edition.one_page import OnePage
    from bookkit.publishing.edition.press import Press
_NAME = "edition-float-{}"
_FIGURES = ".//section/div[contains(@class, 'cell')][.//figure]"
_ROUNDS = 5
# Of the height of a page: so much may stay empty, and so far from the top a figure may
# stand that did not fit, with a heading and the words that lead to it.
_EMPTY, _HIGH = 0.22, 0.3
_FOOT = 51  # points: the margin of the style sheet
_COARSE = 0.25  # pixels a point: enough to see where a page is empty
_WHITE = 245  # of 255
_POINTS = 72 / 96  # in a pixel
_LINES = 28  # points: room for two lines is no room
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_TEXT = ("p", "ul", "ol", "span", *_HEADINGS)
# What ends a sentence, and with it what can be read before a figure.
_ENDS = (".", "!", "?", ")", "”")
# Sections that no figure of another one may stand in.
_OTHERS = (".exercises", ".solutions", ".summary", ".further-reading")


def let_figures_float(press: "Press", page: "OnePage") -> BytesIO:
    """Print a draft in which no figure leaves much room; the page is changed."""
    figures = _name_figures(page.body)
    fresh = {text.get("id") for text in page.body.find_class("bd-article")}
    for turn in range(_ROUNDS):
        links = _link(figures)
        page.body.append(links)
        draft = press.print(page.write())
        links.drop_tree()
        is_last = turn == _ROUNDS - 1
        if is_last or not _fill(
            figures, _find_room(draft, fresh), press.measure_blocks()
        ):
            break
    return draft


def _name_figures(body: HtmlElement) -> dict[str, HtmlElement]:
    """Name what may float, and number what may go before it."""
    for number, block in enumerate(body.xpath(".//section/*")):
        block.set("data-block", str(number))
    figures = {}
    for number, cell in enumerate(body.xpath(_FIGURES)):
        cell.set("id", cell.get("id") or _NAME.format(number))
        figures[cell.get("id")] = cell
    return figures


def _link(names: dict[str, HtmlElement]) -> HtmlElement:
    """Make a last page of links: a browser says where their targets are, only."""
    links = (builder.A(".", href=f"#{name}", title=name) for name in names)
    return builder.DIV(*links, style="break-before: page")


def _find_room(draft: BytesIO, fresh: set[str]) -> dict[str, float]:
    """Find what stands high on a page while the page before is empty below.

    Args:
        draft: The book as it was printed.
        fresh: The names of what begins a page in any case.

    Returns:
        For each name of such a place how much of the page before is empty, in points.
    """
    with pikepdf.open(draft) as pdf:
        pages = {page.objgen: number for number, page in enumerate(pdf.pages)}
        tops = {
            name.removeprefix("/"): (pages[place[0].objgen], float(place[3]))
            for name, place in pdf.Root.get("/Dests", {}).items()
        }
    begun = {tops[name][0] for name in fresh & tops.keys()}
    room: dict[str, float] = {}
    with pypdfium2.PdfDocument(draft) as document:
        height = document[0].get_height()
        for name, (number, top) in tops.items():
            if number and number not in begun and height - top < _HIGH * height:
                empty = _measure_room(document[number - 1])
                if empty > _EMPTY * height:
                    room[name] = empty
    return room


def _measure_room(page: pypdfium2.PdfPage) -> float:
    """Measure how much of a page is empty above its foot, in points."""
    grey = page.render(scale=_COARSE, grayscale=True).to_numpy().squeeze()
    body = grey[: len(grey) - round(_FOOT * _COARSE)]
    inked = (body < _WHITE).any(axis=1).nonzero()[0]
    return (len(body) - (inked[-1] + 1 if len(inked) else 0)) / _COARSE


def _fill(
    figures: dict[str, HtmlElement], room: dict[str, float], heights: dict[str, float]
) -> bool:
    """Let text go before the figures that left room; say whether any did."""
    moved = False
    for name in filter(room.__contains__, figures):
        place = find_place(figures[name], room[name], heights)
        if place is not None:
            place.addnext(figures[name])
            moved = True
    return moved


def find_place(
    figure: HtmlElement, room: float, heights: dict[str, float]
) -> HtmlElement | None:
    """Find the block behind which a figure goes, so that those before it fill a room.

    Args:
        figure: The cell of the figure.
        room: How much room there is, in points.
        heights: The heights of blocks in pixels, by their numbers.

    Returns:
        The block, or None where nothing may go before the figure.
    """
    before = figure.getprevious()
    if before is not None and "edition-announces" in before.classes:
        return None
    place, filled = None, 0.0
    for block in _list_following(figure):
        if block.tag not in _TEXT and not _is_result(block):
            break
        filled += heights.get(block.get("data-block"), 0) * _POINTS
        if block.tag not in _TEXT and filled > room:
            break
        if _ends(block):
            place = block
        if place is block and filled > room - _LINES:
            break
    return place


def _list_following(figure: HtmlElement) -> Iterator[HtmlElement]:
    """List the blocks behind a figure, to the end of the section behind its own."""
    for block in figure.itersiblings():
        if block.tag == "section":
            break
        yield block
    else:
        block = _find_next(figure.getparent())
    if block is not None and _may_take(block, figure):
        for inner in block:
            if inner.tag == "section":
                return
            yield inner


def _find_next(section: HtmlElement) -> HtmlElement | None:
    """Find what follows a section, or the last one around it; a page has no next."""
    while section.getnext() is None:
        section = section.getparent()
        if section.tag != "section" or "bd-article" in section.classes:
            return None
    return section.getnext()


def _may_take(section: HtmlElement, figure: HtmlElement) -> bool:
    """Say whether a figure may stand in a section: both may be skipped, or none."""
    return (
        section.tag == "section"
        and not section.get("id", "").endswith(_OTHERS)
        and _is_deeper(section) == _is_deeper(figure)
    )


def _is_deeper(element: HtmlElement) -> bool:
    return bool(element.xpath("ancestor-or-self::section[contains(@class, 'deeper')]"))


def _is_result(block: HtmlElement) -> bool:
    """Say whether a block is a cell without a figure, a formula or a table."""
    names = {"cell", "math", "pst-scrollable-table-container"}
    return bool(names & set(block.classes)) and block.find(".//figure") is None


def _ends(block: HtmlElement) -> bool:
    """Say whether a thought ends with a block."""
    after = block.getnext()
    if block.tag in _HEADINGS or block.tag == "span" or "math" in block.classes:
        return False
    if after is not None and "math" in after.classes:
        return False
    return block.tag != "p" or block.text_content().rstrip().endswith(_ENDS)
