"""A browser that shows pages of the site, and prints what is made of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

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
