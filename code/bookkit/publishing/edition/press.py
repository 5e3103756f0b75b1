"""A browser that shows pages of the site, and prints what is made of them.

It counts pages only by printing them. So the book is printed twice: at first with
places as wide as the numbers of the pages to which links lead, then with the numbers,
which move nothing.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from lxml.html import HtmlElement, builder

from bookkit.book.errors import BookError
from bookkit.checking.browser import ARGUMENTS, find_chromium, serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
STYLE = Path("book/_editions/pdf.css")
# Pixels of 1/96 inch: A4 without the margins of the style sheet.
WIDTH = 665
_PAGE = "whole-book.html"
_BLOCKS = "p, li, dt, dd, pre, th, td, h1, h2, h3, h4, h5, h6, figure, figcaption"
_FIND_WIDEST = """(blocks) => {
  const limit = 1.01;  // a hundredth is not seen
  const end = (part) => part.getBoundingClientRect().right;
  const shown = (part) => {
    for (let box = part; box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return false;
    }
    return true;
  };
  const all = (parts) =>
    [...document.body.querySelectorAll(`:is(${parts}):not(svg *)`)];
  const room = window.innerWidth * limit;
  const wide = document.documentElement.scrollWidth <= room ? [] : all("*")
    .filter((part) => end(part) > room && shown(part.parentElement))
    .sort((a, b) => end(b) - end(a)).slice(0, 3)
    .map((part) => [part, end(part)]);
  const full = all(`${blocks}, .math-scroll`).filter((part) => part.clientWidth)
    .filter((part) => part.scrollWidth > part.clientWidth * limit + 1)
    .slice(0, 3).map((part) => [part, part.scrollWidth]);
  return [...wide, ...full].map(([part, width]) => [
    part.tagName.toLowerCase(), "in", part.closest("[id]")?.id,
    Math.round(width)].join(" ")).join(", ");
}"""
_MEASURE_BLOCKS = """() => Object.fromEntries(
  [...document.querySelectorAll("[data-block]")].map((block) =>
    [block.dataset.block, block.getBoundingClientRect().height]))"""
# To be asked again and again: a promise may be kept with the next frame only, and now
# and then Chromium shows no further frame of a page.
_HAS_LETTERS = """() =>
  document.body.offsetHeight > 0 && document.fonts.status === "loaded" """
# A whole book has thousands of formulas to lay out.
_PATIENCE_MS = 600_000
_HTML = {"content_type": "text/html; charset=utf-8"}
_MOST_DIGITS = 3
# On both sides of the arrow, for each digit less: as wide as one, and breaks no line.
_ROOM = "\xa0"
# Whoever looks something up there knows its place in the alphabet.
_IN_ORDER = ("appendix.bibliography", "appendix.glossary", "appendix.api")
# What a number finds in its own chapter, such as Figure 4.5 or (4.5).
_NUMBERED = re.compile(r"(?:[A-Z][a-z]+ |\()\d+(?:\.\d+)?\b")
_PARAGRAPHS = ".//p[not(ancestor::table or starts-with(@class, 'api-link'))]"


@contextmanager
def open_site(site: Path) -> Iterator[tuple["Browser", str]]:
    """Open a browser and serve a site to it.

    Yields:
        The browser, and the address of the site with a final slash.
    """
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    with serve(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=list(ARGUMENTS)
        )
        yield browser, base
        browser.close()


@contextmanager
def open_press(site: Path) -> Iterator["Press"]:
    """Open a press for pages that stand at the root of a site."""
    with open_site(site) as (browser, base):
        yield Press(browser, base)


def wait_for_letters(page: "Page") -> None:
    """Wait until the fonts of an open page have come."""
    page.wait_for_function(_HAS_LETTERS, polling=100)  # milliseconds


class Press:
    """A browser that prints pages of a site."""

    def __init__(self, browser: "Browser", base: str) -> None:
        self._address = f"{base}{_PAGE}"
        self._page = browser.new_page(color_scheme="light")
        self._page.set_default_timeout(_PATIENCE_MS)

    def print(self, page: str) -> BytesIO:
        """Print a page that stands at the root of the site."""
        self._page.route(self._address, lambda route: route.fulfill(body=page, **_HTML))
        self._page.goto(self._address)
        wait_for_letters(self._page)
        self._check_width()
        options = {"outline": True, "tagged": True, "print_background": True}
        return BytesIO(self._page.pdf(prefer_css_page_size=True, **options))

    def measure_blocks(self) -> dict[str, float]:
        """Measure the numbered blocks of what was printed, in pixels."""
        return self._page.evaluate(_MEASURE_BLOCKS)

    def _check_width(self) -> None:
        """Check that nothing is wider than paper or than its column."""
        self._page.set_viewport_size({"width": WIDTH, "height": WIDTH})
        self._page.emulate_media(media="print")
        wide = self._page.evaluate(_FIND_WIDEST, _BLOCKS)
        if wide:
            raise BookError(
                f"What is printed must be at most {WIDTH} pixels wide and fit its "
                f"column, and this is wider: {wide}; let it wrap, in {STYLE}."
            )


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
