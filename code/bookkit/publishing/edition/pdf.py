"""Print the whole book into one PDF with outline, links and page numbers."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import matplotlib
import pikepdf
from lxml import html

from bookkit.book.errors import BookError
from bookkit.checking.browser import ARGUMENTS, SITE, find_chromium
from bookkit.checking.server import serve
from bookkit.publishing.edition.contents import read_book
from bookkit.publishing.edition.one_page import OnePage, build_page

PDF = Path("_build/pdf/the-tested-transformer.pdf")
STYLE = Path("book/_editions/pdf.css")
_PAGE = "whole-book.html"
_WIDTH = 650  # pixels of 1/96 inch: A4 without the margins of the style sheet
_FIND_WIDEST = """() => {
  const limit = 1.01 * window.innerWidth;  // a hundredth smaller is not seen
  if (document.documentElement.scrollWidth <= limit) return "";
  const end = (part) => part.getBoundingClientRect().right;
  const shown = (part) => {
    for (let box = part; box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return false;
    }
    return true;
  };
  const wide = [...document.body.querySelectorAll(":not(svg *)")].filter(
    (part) => end(part) > limit && shown(part.parentElement));
  wide.sort((a, b) => end(b) - end(a));
  return wide.slice(0, 3).map((part) => [
    part.tagName.toLowerCase(), "in", part.closest("[id]")?.id,
    Math.round(end(part))].join(" ")).join(", ") || "a part";
}"""
# A whole book has thousands of formulas to lay out.
_PATIENCE_MS = 600_000
_HTML = {"content_type": "text/html; charset=utf-8"}
_FONT_FOLDER = Path(matplotlib.get_data_path()) / "fonts/ttf"
_FONTS = {
    "STIXGeneral.ttf": ("Book text", "normal", 400),
    "STIXGeneralItalic.ttf": ("Book text", "italic", 400),
    "STIXGeneralBol.ttf": ("Book text", "normal", 700),
    "STIXGeneralBolIta.ttf": ("Book text", "italic", 700),
    "DejaVuSansMono.ttf": ("Book code", "normal", 400),
    "DejaVuSansMono-Bold.ttf": ("Book code", "normal", 700),
}


def make_pdf(root: Path) -> Path:
    """Print the built site into a PDF and return where it is.

    Raises:
        BookError: The site is not built, a link is broken, or no browser is here.
    """
    book, site, target = read_book(root), root / SITE, root / PDF
    rules = _font_rules() + (root / STYLE).read_text("utf-8")
    styles = _list_styles(site, book.first_page)
    page = build_page(book, site, styles=styles, extra=rules)
    target.parent.mkdir(parents=True, exist_ok=True)
    with Press(site) as press, pikepdf.open(press.print(page.write())) as pdf:
        numbers = page.write_numbers(find_pages(pdf))
        with pikepdf.open(press.print(numbers, paper=False)) as overlay:
            for below, above in zip(pdf.pages, overlay.pages, strict=False):
                below.add_overlay(above)
        _finish(pdf, page)
        pdf.save(
            target,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            recompress_flate=True,
            deterministic_id=True,
        )
    return target


class Press:
    """A browser that prints pages of a site."""

    def __init__(self, site: Path) -> None:
        self.site = site

    def __enter__(self) -> "Press":
        """Start the browser, and a server for what the pages show."""
        from playwright.sync_api import sync_playwright

        chromium = find_chromium()
        # What is open is closed again when a later step fails.
        with ExitStack() as opened:
            self._base = opened.enter_context(serve(self.site))
            playwright = opened.enter_context(sync_playwright())
            browser = playwright.chromium.launch(
                executable_path=chromium, args=list(ARGUMENTS)
            )
            opened.callback(browser.close)
            self._page = browser.new_page(color_scheme="light")
            self._page.set_default_timeout(_PATIENCE_MS)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *arguments: object) -> None:
        """Stop both."""
        self._open.close()

    def print(self, page: str, *, paper: bool = True) -> BytesIO:
        """Print a page that stands at the root of the site, with or without paper."""
        address = f"{self._base}{_PAGE}"
        self._page.route(address, lambda route: route.fulfill(body=page, **_HTML))
        self._page.goto(address)
        self._page.evaluate("document.fonts.ready.then(() => true)")
        self._check_width()
        options = {"outline": True, "tagged": True, "print_background": paper}
        return BytesIO(self._page.pdf(prefer_css_page_size=True, **options))

    def _check_width(self) -> None:
        """Check that nothing is wider than paper, which would shrink all of it."""
        self._page.set_viewport_size({"width": _WIDTH, "height": _WIDTH})
        self._page.emulate_media(media="print")
        wide = self._page.evaluate(_FIND_WIDEST)
        if wide:
            raise BookError(
                f"What is printed must be at most {_WIDTH} pixels wide, and this is "
                f"wider: {wide}; let it wrap, in {STYLE}."
            )


def find_pages(pdf: pikepdf.Pdf) -> dict[str, int]:
    """Find the number of the page on which each named place of a book stands."""
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages, start=1)}
    places = pdf.Root.Dests if "/Dests" in pdf.Root else {}
    return {
        name.removeprefix("/"): numbers[place[0].objgen]
        for name, place in places.items()
    }


def _list_styles(site: Path, page: str) -> list[str]:
    """List the style sheets of the site, as paths in it."""
    tree = html.document_fromstring((site / page).read_text("utf-8"))
    links = tree.xpath("//link[@rel='stylesheet']/@href")
    return [link.split("?")[0].removeprefix("../") for link in links]


def _font_rules() -> str:
    """Name the fonts of the text, which come with matplotlib: the same everywhere."""
    rules = ""
    for name, (family, style, weight) in _FONTS.items():
        data = b64encode((_FONT_FOLDER / name).read_bytes()).decode("ascii")
        rules += (
            f'@font-face {{ font-family: "{family}"; font-style: {style}; '
            f"font-weight: {weight}; src: url(data:font/ttf;base64,{data}); }}\n"
        )
    return rules


def _finish(pdf: pikepdf.Pdf, page: OnePage) -> None:
    """Write into the file what book it is, and name its chapters in the outline."""
    book = page.book
    pdf.docinfo["/Title"], pdf.docinfo["/Author"] = book.title, book.author
    for key in ("/CreationDate", "/ModDate"):
        del pdf.docinfo[key]
        if book.changed is not None:
            pdf.docinfo[key] = f"D:{book.changed:%Y%m%d%H%M%S}Z"
    # The title of the book belongs on top of the window, not the name of the file.
    pdf.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    _name_outline(pdf, page.headings())


def _name_outline(pdf: pikepdf.Pdf, headings: list[str]) -> None:
    """Give the entries of the outline the words of the headings.

    Chromium writes a heading that starts a page twice, and a formula in pieces.
    """
    with pdf.open_outline() as outline:
        entries = list(_walk(outline.root))
        if len(entries) != len(headings):
            raise BookError(
                f"The outline must have one entry for each of the {len(headings)} "
                f"headings, and has {len(entries)}; look at the headings of the pages."
            )
        for entry, words in zip(entries, headings, strict=True):
            entry.title = words
        for part in outline.root:
            part.is_closed = False
            for chapter in part.children:
                chapter.is_closed = True


def _walk(entries: list[pikepdf.OutlineItem]) -> Iterator[pikepdf.OutlineItem]:
    for entry in entries:
        yield entry
        yield from _walk(entry.children)
