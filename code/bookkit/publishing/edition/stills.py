"""Take pictures of what brings its own styles: drawings, and explorers at their start.

A reading device may know neither the variables nor the mixed colors of their styles,
and would show black shapes. So a browser takes a picture of each.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import html
from lxml.html import HtmlElement, builder
from PIL import Image

from bookkit.checking.browser import ARGUMENTS, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

_STYLED = ".//*[style][not(ancestor::*[style])]"
# Pixels of a phone, for which narrow forms are drawn, and how many of a picture are one
# of them. A page has room for larger letters.
_WIDTH, _SHARPNESS, _LARGER = 390, 3, 1.15
_COLORS = 64
# A drawing may stand out of its frame by a little. Links have the color of the site's.
_PAGE = """<!doctype html><html data-theme="light"><style>
:root { --pst-color-link: #176de8 }
body { margin: 0 } body > div { display: inline-block; padding: 4px }
body > div > div { width: 358px }
.explorer-readout { min-height: 0 !important; position: static !important }
</style><body><div>%s</div>"""


class Camera:
    """A browser that takes pictures, and the folder that they are kept in."""

    def __init__(self, screen: "Page", folder: Path) -> None:
        self._screen, self._folder = screen, folder

    def take_stills(self, article: HtmlElement) -> dict[str, HtmlElement]:
        """Put stills in the place of the drawings and explorers of a page.

        Args:
            article: The text of the page; it is changed.

        Returns:
            The pictures by the names of their files.
        """
        stills = {}
        for part in article.xpath(_STYLED):
            image = builder.IMG(alt=_describe(part), **{"class": "still"})
            if name := self._take(part, image):
                stills[name] = image
                part.addprevious(image)
            part.drop_tree()
        return stills

    def _take(self, part: HtmlElement, image: HtmlElement) -> str:
        """Take a picture of a part of a page, and name it; of nothing there is none."""
        if view := part.get("viewbox"):
            part.set("width", view.split()[2])
        self._screen.set_content(_PAGE % html.tostring(part, encoding="unicode"))
        shown = self._screen.locator("body > div")
        box = shown.bounding_box()
        taken = Image.open(BytesIO(shown.screenshot(animations="disabled")))
        colors = taken.convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
        if len(colors.getcolors()) == 1:
            return ""
        name = f"still-{hashlib.sha256(colors.tobytes()).hexdigest()[:16]}.png"
        colors.save(self._folder / name, optimize=True)
        for side in ("width", "height"):
            image.set(side, str(round(_LARGER * box[side])))
        return name


def _describe(part: HtmlElement) -> str:
    """Say what a still shows: its name or description, and what is read off it."""
    words = [part.get("aria-label") or part.findtext("desc") or ""]
    words += [read.text_content() for read in part.find_class("explorer-readout")]
    return " ".join(". ".join(filter(None, words)).split())


@contextmanager
def open_camera(folder: Path) -> Iterator[Camera]:
    """Open a browser that keeps the pictures it takes in a folder."""
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=list(ARGUMENTS)
        )
        screen = browser.new_page(
            java_script_enabled=False,
            color_scheme="light",
            device_scale_factor=_SHARPNESS,
            viewport={"width": _WIDTH, "height": _WIDTH},
        )
        screen.emulate_media(media="print")  # which nobody drags
        yield Camera(screen, folder)
        browser.close()
