"""Read in a browser what readers see of a page, and picture it."""

import gzip
import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from bookkit.checking.barriers import find_barriers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response, Route

WIDTHS = (1280, 768, 390)
MODES = ("light", "dark")
HEIGHT = 900  # of the window, in pixels
SEARCH = "search.html"
HITS = 10
SHRINK = 4  # pixels become one in a picture: 50 pages in six settings take 50 MB
TALLEST = 60_000  # pixels of a page: Chromium and WebP end at 16,384 of a picture
PATIENCE_MS = 600_000
# The footer names the commit, which is another one for each inventory.
STATE = re.compile(rb"State of [^<(]*\(\w+\)")
# What folds is open, and what comes or is laid out when it comes into view is there.
SHOW_ALL = """async () => {
  const style = document.createElement("style");
  style.textContent = `.bd-article section, .bd-article section > * {
    content-visibility: visible !important; }
    *, *::before, *::after { animation: none !important; transition: none !important;
    caret-color: transparent !important; }`;
  document.head.append(style);
  document.querySelectorAll("details").forEach((box) => { box.open = true; });
  document.activeElement?.blur();
  for (const image of document.images) image.loading = "eager";
  const come = (image) => image.decode().catch(() => {});
  await Promise.all([...document.images].map(come));
  await document.fonts.ready;
  const draw = () => new Promise((drawn) => requestAnimationFrame(drawn));
  for (let frame = 0; frame < 3; frame++) await draw();
}"""
# Formulas are read as their TeX.
READ = r"""() => {
  const flat = (text) => text.replace(/\s+/g, " ").trim();
  const all = (selector, read) => [...document.querySelectorAll(selector)].map(read);
  for (const tex of document.querySelectorAll(".katex annotation")) {
    tex.closest(".katex").replaceWith(tex.textContent);
  }
  return {
    headings: [document.title, ...all("h1, h2, h3, h4, h5, h6", (heading) =>
      `${heading.localName} ${flat(heading.textContent)}`)],
    ids: all("[id]", (part) => part.id),
    links: all("a[href]", (a) => `${flat(a.textContent)} → ${a.getAttribute("href")}`),
    "alt texts": all("img, [role=img]", (image) => [
      image.getAttribute("src")?.split("/").pop().slice(0, 80),
      image.getAttribute("alt") ?? image.getAttribute("aria-label")].join(" ")),
    text: document.body.innerText.split("\n").map(flat).filter(Boolean),
  };
}"""
FIND = """(most) => {
  const book = new BookSearch(BOOK_SEARCH);
  const names = [...BOOK_SEARCH.groups, ...BOOK_SEARCH.absent]
    .flatMap(([place, ...names]) => names);
  return Object.fromEntries(names.map((name) => [name, book.search(name)
    .slice(0, most).map(({ address }) => address)]));
}"""


def read_page(
    browser: "Browser",
    base: str,
    path: str,
    folder: Path,
    *,
    modes: Sequence[str] = MODES,
    widths: Sequence[int] = WIDTHS,
) -> dict[str, list[str]]:
    """Read a page, and picture it in each mode and at each width.

    Args:
        browser: The browser.
        base: The address of the site, with a final slash.
        path: The page.
        folder: Where the pictures go.
        modes: "light", "dark" or both; words are read in the first.
        widths: The widths of the window in pixels. The page is opened at the first,
            where its words are read and what it asks for when all of it is seen.

    Returns:
        Lines by their kind.
    """
    kinds: dict[str, list[str]] = {"axe": []}
    for mode in modes:
        with open_page(browser, base, path, mode, widths[0]) as (page, sizes):
            for width in widths:
                take_pictures(page, width, folder, f"{width}-{mode}")
                asked = sorted(f"{name} {size:,}" for name, size in sizes.items())
                kinds.setdefault("requests", asked)
            page.set_viewport_size({"width": widths[0], "height": HEIGHT})
            barriers = find_barriers(page)
            kinds["axe"] += [f"{mode}: {rule} {part}" for rule, part, _ in barriers]
            kinds = page.evaluate(READ) | kinds
    return kinds


@contextmanager
def open_page(
    browser: "Browser", base: str, path: str, mode: str, width: int
) -> Iterator[tuple["Page", dict[str, int]]]:
    """Open a page as on a first visit, and weigh what it asks for.

    Yields:
        The page, and how many bytes each of its requests brings, by path.
    """
    sizes: dict[str, int] = {}

    def weigh(response: "Response") -> None:
        size = int(response.headers.get("content-length", 0))
        sizes.setdefault(response.url.removeprefix(base), size)

    def hide_state(route: "Route") -> None:
        answer = route.fetch()
        body = STATE.sub(b"State of this book", answer.body())
        sizes[path] = len(gzip.compress(body, mtime=0))
        route.fulfill(response=answer, body=body)

    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme=mode,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.on("response", weigh)
    page.route(lambda url: url == base + path, hide_state)
    page.goto(base + path, wait_until="networkidle")
    yield page, sizes
    context.close()


def take_pictures(page: "Page", width: int, folder: Path, name: str) -> None:
    """Draw a whole page at a quarter of its size; a very long one is cut.

    The window becomes as high as the page. Chromium can draw what is beyond a window
    too, but lays the page out for one of a single pixel meanwhile.
    """
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.evaluate(SHOW_ALL)
    session = page.context.new_cdp_session(page)
    whole = page.evaluate("document.documentElement.scrollHeight")
    whole += -whole % SHRINK  # a row that is drawn in part is not always drawn alike
    for top in range(0, whole, TALLEST):
        height = min(TALLEST, whole - top)
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(f"window.scrollTo({{ top: {top}, behavior: 'instant' }})")
        page.evaluate(SHOW_ALL)
        box = {"x": 0, "y": top, "width": width - width % SHRINK, "height": height}
        options = {"clip": box | {"scale": 1 / SHRINK}}
        drawn = session.send("Page.captureScreenshot", options)["data"]
        with Image.open(BytesIO(b64decode(drawn))) as picture:
            picture.save(folder / f"{name}-{top}.webp", lossless=True)


def find_hits(browser: "Browser", base: str) -> dict[str, list[str]]:
    """Find the first hits for each name that the search knows."""
    path = f"{SEARCH}?q=attention"  # the data come with the first search
    with open_page(browser, base, path, MODES[0], WIDTHS[0]) as (page, _):
        return page.evaluate(FIND, HITS)
