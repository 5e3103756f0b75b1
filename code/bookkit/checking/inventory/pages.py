"""Read what a page of the site says and asks for, and picture it in a browser."""

import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path

from lxml import html
from PIL import Image
from playwright.sync_api import Browser, Page, Response

from bookkit.checking.barriers import find_barriers

WIDTHS, MODES = (1280, 768, 390), ("light", "dark")
SHRINK = 4  # pixels of the page are one of a picture
TALLEST = 60_000  # pixels of a page: pictures of Chromium end at 16,384 of theirs
PATIENCE_MS = 600_000
HITS = 5  # of each name that the search knows
# The foot of each page names the commit, which is another one after each change.
_STATE = re.compile(rb"State of [^<]*?\. ")
Kinds = dict[str, list[str]]
# What folds is open, and what is laid out or comes when it is in view is there.
_SHOW_ALL = """async () => {
  const style = document.createElement("style");
  style.textContent = `.bd-article section, .bd-article section > * {
    content-visibility: visible !important; }
    * { animation: none !important; transition: none !important; }
    .book-state { visibility: hidden; }`;
  document.head.append(style);
  document.querySelectorAll("details").forEach((box) => { box.open = true; });
  for (const image of document.images) image.loading = "eager";
  const come = (image) => image.decode().catch(() => {});
  await Promise.all([...document.images].map(come));
  await document.fonts.ready;
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  return document.documentElement.scrollHeight;
}"""
_FIND = """(most) => {
  const book = new BookSearch(BOOK_SEARCH);
  const names = [...BOOK_SEARCH.groups, ...BOOK_SEARCH.absent]
    .flatMap(([place, ...names]) => names);
  return Object.fromEntries(names.map((name) => [name, book.search(name)
    .slice(0, most).map(({ address }) => address)]));
}"""


def read_page(file: Path) -> Kinds:
    """Read what a page says and leads to, as lines by their kind."""
    source = _STATE.sub(b"", file.read_bytes())
    tree = html.fromstring(source)
    for formula in tree.find_class("katex"):  # is read as its TeX
        tex = "".join(formula.xpath(".//*[local-name()='annotation']/text()"))
        formula.clear(keep_tail=True)
        formula.text = tex
    for part in tree.xpath("//script | //style | //noscript"):
        part.drop_tree()
    headings = tree.xpath("//h1 | //h2 | //h3 | //h4 | //h5 | //h6")
    images = tree.xpath("//img | //*[@role='img']")
    text = tree.body.text_content().splitlines()
    return {
        "headings": [f"{heading.tag} {_words(heading)}" for heading in headings],
        "ids": tree.xpath("//@id"),
        "links": [f"{_words(a)} → {a.get('href')}" for a in tree.xpath("//a[@href]")],
        "alt texts": [
            image.get("alt") or image.get("aria-label", "") for image in images
        ],
        "text": [" ".join(line.split()) for line in text if line.strip()],
        "bytes": [f"{len(source):,}"],
    }


def _words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def look_at(browser: Browser, base: str, path: Path, folder: Path) -> Kinds:
    """Picture a page in each mode at each width, and ask axe what keeps readers out.

    Noted is also what the page asks for on a first visit, until all of it is seen.
    """
    barriers, asked = [], {}

    def weigh(response: Response) -> None:
        if response.url != base + path.as_posix():
            size = int(response.headers.get("content-length", 0))
            asked[response.url.removeprefix(base)] = size

    for mode in MODES:
        page = browser.new_page(color_scheme=mode, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        page.on("response", weigh)
        page.goto(base + path.as_posix(), wait_until="networkidle")
        for width in WIDTHS:
            take_picture(page, width).save(folder / f"{width}-{mode}.png")
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        barriers += [f"{mode}: {rule} {part}" for rule, part, _ in find_barriers(page)]
        page.close()
    requests = sorted(f"{address} {size:,}" for address, size in asked.items())
    return {"axe": barriers, "requests": requests}


def find_hits(browser: Browser, base: str) -> Kinds:
    """Find the first hits for each name that the search knows."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    # The data come with the first search.
    page.goto(f"{base}search.html?q=attention", wait_until="networkidle")
    hits = page.evaluate(_FIND, HITS)
    page.close()
    return hits


def take_picture(page: Page, width: int) -> Image.Image:
    """Picture a page from top to bottom, at a quarter of its size.

    The window becomes as high as the page: Chromium lays out anew what is beyond it.
    """
    page.set_viewport_size({"width": width, "height": 900})
    whole = page.evaluate(_SHOW_ALL)
    picture = Image.new("RGB", (width // SHRINK, whole // SHRINK))
    session = page.context.new_cdp_session(page)
    for top in range(0, whole, TALLEST):
        height = min(TALLEST, whole - top)
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(f"window.scrollTo({{ top: {top}, behavior: 'instant' }})")
        page.evaluate(_SHOW_ALL)
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1 / SHRINK}
        drawn = session.send("Page.captureScreenshot", {"clip": clip})["data"]
        picture.paste(Image.open(BytesIO(b64decode(drawn))), (0, top // SHRINK))
    return picture
