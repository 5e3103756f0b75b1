"""A reader's inventory of the built site: make one, and compare two.

One of before tools or styles change and one of after tell what is different for
readers, page by page: what they read, where links lead, what axe finds, how it looks.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from difflib import unified_diff
from io import BytesIO
from pathlib import Path

import numpy as np
from lxml import html
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, sync_playwright

from bookkit.book.errors import BookError
from bookkit.checking.barriers import find_barriers
from bookkit.checking.browser import ARGUMENTS, find_chromium, serve

WIDTHS, MODES = (1280, 768, 390), ("light", "dark")
SHRINK = 4  # pixels of the page are one of a picture
TALLEST = 60_000  # pixels of a page: pictures of Chromium end at 16,384 of theirs
PATIENCE_MS = 600_000
# Two runs may draw a letter differently: a few pixels may differ by so many levels.
TOLERANCE, FEW = 16, 1 / 1000
MOST = 20  # lines that are told of a kind of change on a page
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


def make_inventory(site: Path, folder: Path, only: str = "*") -> int:
    """Write an inventory of the pages of a site, and say how many they are.

    Args:
        site: The folder of the built site.
        folder: Where a file and a folder of pictures go for each page.
        only: A pattern of their paths, such as `book/position/*`.

    Raises:
        BookError: The site has no such page.
    """
    found = (file.relative_to(site) for file in sorted(site.rglob("*.html")))
    pages = [page for page in found if page.parts[0] != "_static" and page.match(only)]
    if not pages:
        raise BookError(
            f"{site} must hold pages named {only!r}, and holds none; run `make book`."
        )
    with serve(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*ARGUMENTS]
        )
        for page in pages:
            pictures = (folder / page).with_suffix("")
            pictures.mkdir(parents=True, exist_ok=True)
            kinds = read_page(site / page) | look_at(browser, base, page, pictures)
            text = json.dumps(kinds, ensure_ascii=False, indent=1)
            (folder / f"{page}.json").write_text(text, encoding="utf-8")
        browser.close()
    return len(pages)


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
    """Picture a page in each mode at each width, and ask axe what keeps readers out."""
    barriers = []
    for mode in MODES:
        page = browser.new_page(color_scheme=mode, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        page.goto(base + path.as_posix(), wait_until="networkidle")
        for width in WIDTHS:
            take_picture(page, width).save(folder / f"{width}-{mode}.png")
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        barriers += [f"{mode}: {rule} {part}" for rule, part, _ in find_barriers(page)]
        page.close()
    return {"axe": barriers}


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


def compare_inventories(
    before: Path, after: Path, tolerance: int = TOLERANCE
) -> Iterator[str]:
    """Yield what differs between the inventories of two folders, as lines.

    Raises:
        BookError: A folder holds no inventory.
    """
    old, new = (
        {file.relative_to(folder) for file in folder.rglob("*.json")}
        for folder in (before, after)
    )
    for folder, found in ((before, old), (after, new)):
        if not found:
            raise BookError(
                f"{folder} must hold an inventory, and does not; run "
                f"`make inventory OUT={folder}`."
            )
    yield from (f"- {page.with_suffix('')}" for page in sorted(old - new))
    yield from (f"+ {page.with_suffix('')}" for page in sorted(new - old))
    for page in sorted(old & new):
        changes = [*_changes_of_page(before / page, after / page, tolerance)]
        if changes:
            yield f"{page.with_suffix('')}:"
            yield from (f"  {line}" for line in changes)


def _changes_of_page(before: Path, after: Path, tolerance: int) -> Iterator[str]:
    """Yield what differs on a page, given the files of both."""
    old, new = (json.loads(file.read_text("utf-8")) for file in (before, after))
    for kind in old:
        differing = [*unified_diff(old[kind], new[kind], n=0, lineterm="")][2:]
        lines = [line for line in differing if not line.startswith("@@")]
        yield from (f"{kind}: {line}" for line in lines[:MOST])
        if len(lines) > MOST:
            yield f"{kind}: and {len(lines) - MOST} lines more"
    folders = [Path(f"{file}".removesuffix(".html.json")) for file in (before, after)]
    for picture in sorted(folders[0].glob("*.png")):
        if said := compare_pictures(picture, folders[1] / picture.name, tolerance):
            yield f"picture {picture.stem}: {said}"


def compare_pictures(before: Path, after: Path, tolerance: int = TOLERANCE) -> str:
    """Say where pictures differ: many pixels, or a few by more than so many levels."""
    with Image.open(before) as old, Image.open(after) as new:
        if old.size != new.size:
            return f"{old.height * SHRINK} pixels high became {new.height * SHRINK}"
        levels = np.asarray(ImageChops.difference(old, new)).max(axis=2)
    is_few = np.count_nonzero(levels) <= FEW * levels.size
    rows = np.flatnonzero((levels > tolerance * is_few).any(axis=1)) * SHRINK
    if not rows.size:
        return ""
    place = f"pixels {rows[0]} to {rows[-1] + SHRINK} from the top"
    return f"{place}, by up to {levels.max()} of 255 levels"
