"""Find which text behind a figure may go before it, and how much fills a room."""

from collections.abc import Iterator

from lxml.html import HtmlElement

_POINTS = 72 / 96  # in a pixel
_LINES = 28  # points: room for two lines is no room
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_TEXT = ("p", "ul", "ol", "span", *_HEADINGS)
# What ends a sentence, and with it what can be read before a figure.
_ENDS = (".", "!", "?", ")", "”")
# Sections that no figure of another one may stand in.
_OTHERS = (".exercises", ".solutions", ".summary", ".further-reading")


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
