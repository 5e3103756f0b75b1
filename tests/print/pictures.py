"""The figures of the book as the site shows them, and as an edition does."""

from collections.abc import Iterator
from io import BytesIO
from itertools import count

from lxml.html import HtmlElement
from PIL import Image
from playwright.sync_api import Page

from bookkit.publishing.edition.press import wait_for_letters

# What only a script brings to life is no part of the picture, nor what asks to be
# dragged, and nothing waits until it comes into view.
STILL = """
.explorer :is(.explorer-instruction, .explorer-controls, .halo, .pointer) {
  display: none !important;
}
.explorer-readout { position: static !important; }
/* As low as print.css has it. */
.explorer svg.cut { max-height: 16rem !important; }
* { content-visibility: visible !important; }
"""
SHOWN = "img, .explorer, svg.drawing, svg.translator-drawing, svg.writer-picture"
LOAD = """() => {
  const images = [...document.querySelectorAll("figure img")];
  for (const image of images) image.loading = "eager";
  return Promise.all(images.map((image) => image.decode()));
}"""


def list_names(article: HtmlElement) -> list[str]:
    """List selectors of the figures of a page, from top to bottom, each another."""
    drawings = count()
    return [
        f"#{figure.get('id')}"
        if figure.get("id")
        else f".drawings >> nth={next(drawings)}"
        for figure in article.iter("figure")
    ]


def take(page: Page, names: list[str]) -> Iterator[Image.Image]:
    """Take a picture of each figure of an open page."""
    page.add_style_tag(content=STILL)
    page.evaluate(LOAD)
    wait_for_letters(page)
    for name in names:
        shown = page.locator(name).locator(SHOWN).locator("visible=true").first
        picture = shown.screenshot(animations="disabled")  # a ring may pulse
        yield Image.open(BytesIO(picture)).convert("RGB")
