"""Take a still of what brings its own styles: drawings, and explorers at their start.

A reading device may know neither the variables nor the mixed colors of their styles,
and would show black shapes. So a browser works the styles out, and each element of a
still carries what it looks like.
"""

from pathlib import Path

from lxml import html
from lxml.html import HtmlElement

from bookkit.book.errors import BookError
from bookkit.publishing.edition.press import open_site

_STYLED = ".//*[style][not(ancestor::*[style])]"
_WIDTH = 600  # pixels: what has a form for small pages shows that one
_TAKE = Path(__file__).with_name("stills.js").read_text("utf-8")


def put_stills(articles: dict[str, HtmlElement], site: Path) -> None:
    """Put stills in the place of drawings and explorers.

    Args:
        articles: The texts of pages by their path in the site; they are changed.
        site: The folder of the built site.

    Raises:
        BookError: The browser finds other drawings on a page than stand in its text.
    """
    found = {page: article.xpath(_STYLED) for page, article in articles.items()}
    moving = {page: originals for page, originals in found.items() if originals}
    if not moving:
        return
    with open_site(site) as (browser, base):
        context = browser.new_context(
            java_script_enabled=False,
            color_scheme="light",
            viewport={"width": _WIDTH, "height": _WIDTH},
        )
        screen = context.new_page()
        for page, originals in moving.items():
            screen.goto(base + page)
            stills = screen.evaluate(_TAKE)
            if len(stills) != len(originals):
                raise BookError(
                    f"{page} must show the {len(originals)} drawings of its text, and "
                    f"shows {len(stills)}; look at the template of the page."
                )
            for original, still in zip(originals, stills, strict=True):
                _replace(original, still)


def _replace(original: HtmlElement, still: str) -> None:
    """Put a still in the place of a drawing; one that is not shown has none."""
    if still:
        original.addprevious(html.fragment_fromstring(still))
    original.drop_tree()
