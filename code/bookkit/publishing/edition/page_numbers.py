"""Say on paper on which page of the book a link leads.

A browser counts pages only by printing them. So the book is printed twice: at first
with places as wide as the numbers, and then with the numbers, which move nothing.
"""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement, builder

from bookkit.book.errors import BookError

_MOST_DIGITS = 3
# On both sides of the arrow, for each digit less: as wide as one, and breaks no line.
_ROOM = "\xa0"
# Whoever looks something up there knows its place in the alphabet.
_IN_ORDER = ("appendix.bibliography", "appendix.glossary", "appendix.api")
# What a number finds in its own chapter, such as Figure 4.5 or (4.5).
_NUMBERED = re.compile(r"(?:[A-Z][a-z]+ |\()\d+(?:\.\d+)?\b")
_PARAGRAPHS = ".//p[not(ancestor::table or starts-with(@class, 'api-link'))]"


def number_links(body: HtmlElement) -> None:
    """Give each link in running text that needs one a place for a number."""
    for page in body.find_class("bd-article"):
        for link in _list_links(page):
            place = place_for_number()
            place.tail, link.tail = link.tail, None
            link.addnext(place)


def place_for_number() -> HtmlElement:
    """Make a place, right behind a link, for the page on which it leads."""
    place = builder.SPAN(builder.CLASS("edition-page"))
    place.set("data-page", "0" * _MOST_DIGITS)
    return place


def write_numbers(body: HtmlElement, pages: dict[str, int]) -> None:
    """Write into its place where each link leads."""
    for place in body.find_class("edition-page"):
        number = str(pages[place.getprevious().get("href")[1:]])
        place.set("data-page", number)
        place.set("data-room", _ROOM * (_MOST_DIGITS - len(number)))


def check_pages(before: dict[str, int], after: dict[str, int]) -> None:
    """Check that everything stands where it stood before the numbers were written."""
    moved = [name for name, page in after.items() if before[name] != page]
    if moved:
        was, now = before[moved[0]], after[moved[0]]
        raise BookError(
            f"Numbers must be as wide as their places, and {len(moved)} targets moved "
            f"with them, such as {moved[0]} from page {was} to {now}; "
            "look at .edition-page in pdf.css."
        )


def _list_links(page: HtmlElement) -> Iterator[HtmlElement]:
    for paragraph in page.xpath(_PARAGRAPHS):
        seen = set()
        for link in paragraph.xpath(".//a[starts-with(@href, '#')]"):
            target = link.get("href")[1:]
            is_near = target.startswith(f"{page.get('id')}.") and _NUMBERED.search(
                link.text_content()
            )
            if not (target in seen or target.startswith(_IN_ORDER) or is_near):
                seen.add(target)
                yield link
