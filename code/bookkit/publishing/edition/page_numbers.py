"""Write on paper on which page of the book a link leads.

A browser counts pages only by printing them, and names those places only to which a
link leads. So each number has a place with a name and a link to it from the start, as
wide as a number, and is written when the book has been printed.
"""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement, builder

# Whoever looks something up there knows its place in the alphabet.
_IN_ORDER = ("appendix.bibliography", "appendix.glossary", "appendix.api")
# What a number finds in its own chapter, such as Figure 4.5 or (4.5).
_NUMBERED = re.compile(r"(?:[A-Z][a-z]+ |\()\d+(?:\.\d+)?\b")
_PARAGRAPHS = ".//p[not(ancestor::table or starts-with(@class, 'api-link'))]"
_WIDE = "000"


def number_links(body: HtmlElement) -> None:
    """Give each link in running text that needs one a place for a number behind it."""
    names = []
    for page in body.find_class("bd-article"):
        for link in _list_links(page):
            names.append(f"link-{len(names) + 1}")
            _put_behind(link, place_for(link.get("href")[1:], names[-1]))
    ask_for(body, names)


def place_for(target: str, name: str | None = None) -> HtmlElement:
    """Make the place of a number; with a name it is empty on the page of its target."""
    place = builder.SPAN(
        builder.CLASS("edition-page" if name is None else "edition-to")
    )
    place.attrib.update({"data-to": target, "data-page": _WIDE})
    if name is not None:
        place.set("id", name)
    return place


def ask_for(body: HtmlElement, names: list[str]) -> None:
    """Ask for the pages of places, with links that nobody sees."""
    links = (builder.A(href=f"#{name}") for name in names)
    body.append(builder.P(*links, hidden=""))


def write_numbers(body: HtmlElement, pages: dict[str, int]) -> bool:
    """Write the pages into the places for them, and return whether one is new.

    A place on the page of its target stays empty, and is not printed again.
    """
    is_new = False
    for place in body.xpath(".//*[@data-to]"):
        page, name = pages[place.get("data-to")], place.get("id")
        number = "" if name and pages.get(name, page) == page else str(page)
        is_new |= number != place.get("data-page")
        place.set("data-page", number)
    return is_new


def _list_links(page: HtmlElement) -> Iterator[HtmlElement]:
    for paragraph in page.xpath(_PARAGRAPHS):
        seen = set()
        for link in paragraph.xpath(".//a[starts-with(@href, '#')]"):
            target = link.get("href")[1:]
            is_near = target.startswith(page.get("id")) and _NUMBERED.search(
                link.text_content()
            )
            if not (target in seen or target.startswith(_IN_ORDER) or is_near):
                seen.add(target)
                yield link


def _put_behind(link: HtmlElement, place: HtmlElement) -> None:
    place.tail, link.tail = link.tail, None
    link.addnext(place)
