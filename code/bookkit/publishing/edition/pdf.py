"""Print the volumes of the book into PDFs with outline, links and page numbers."""

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import pikepdf
from lxml import html

from bookkit.book.chinese import FAMILY, FONT
from bookkit.book.errors import BookError
from bookkit.checking.browser import SITE
from bookkit.publishing.edition.contents import Book, divide, read_book
from bookkit.publishing.edition.floats import let_figures_float
from bookkit.publishing.edition.one_page import OnePage, build_page
from bookkit.publishing.edition.press import (
    STYLE,
    Press,
    check_pages,
    open_press,
    write_numbers,
)
from bookkit.publishing.edition.solutions import has_solutions

PDF = Path("_build/pdf/the-tested-transformer.pdf")
SOLUTIONS_PDF = PDF.with_stem(f"{PDF.stem}-solutions")
REFERENCE_PDF = PDF.with_stem(f"{PDF.stem}-reference")
CHINESE_PDF = PDF.with_stem(f"{PDF.stem}-chinese")
_FILES = {
    "": PDF,
    "solutions": SOLUTIONS_PDF,
    "reference": REFERENCE_PDF,
    "chinese": CHINESE_PDF,
}
_COVER = Path("book/_editions/cover.png")
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
    """Print the built site into a PDF, and its other volumes beside it.

    Returns:
        Where the PDF of the book is.

    Raises:
        BookError: The site is not built, a link is broken, or no browser is here.
    """
    (root / PDF).parent.mkdir(parents=True, exist_ok=True)
    with open_press(root / SITE) as press:
        for name, volume in read_volumes(root).items():
            _write(press, lay_out(volume, root), root / _FILES[name])
    return root / PDF


def read_volumes(root: Path) -> dict[str, Book]:
    """Read what each PDF of the book holds."""
    book, site = read_book(root), root / SITE
    return divide(book, [page for page in book.pages if has_solutions(site, page)])


def _write(press: Press, page: OnePage, target: Path) -> None:
    """Print a page into a file."""
    with _print(press, page) as pdf:
        _finish(pdf, page)
        pdf.save(
            target,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            recompress_flate=True,
            deterministic_id=True,
        )


def _print(press: Press, page: OnePage) -> pikepdf.Pdf:
    """Print a page without the numbers of its pages, and then with them."""
    with pikepdf.open(let_figures_float(press, page)) as draft:
        pages = find_pages(draft)
    write_numbers(page.body, pages)
    pdf = pikepdf.open(press.print(page.write()))
    check_pages(pages, find_pages(pdf))
    return pdf


def lay_out(book: Book, root: Path) -> OnePage:
    """Put a book on one page, with the styles of the site and those for paper."""
    site = root / SITE
    cover = _carry(root / _COVER, "image/png")
    rules = _font_rules(root / FONT)
    rules += f".edition-cover {{ background-image: {cover} }}\n"
    rules += (root / STYLE).read_text("utf-8")
    styles = _list_styles(site, book.first_page)
    return build_page(book, site, styles=styles, extra=rules)


def find_pages(pdf: pikepdf.Pdf) -> dict[str, int]:
    """Find the number of the page on which each named place of a book stands."""
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages, start=1)}
    return {
        name.removeprefix("/"): numbers[place[0].objgen]
        for name, place in pdf.Root.Dests.items()
    }


def _list_styles(site: Path, page: str) -> list[str]:
    """List the style sheets of the site, as paths in it."""
    tree = html.document_fromstring((site / page).read_text("utf-8"))
    links = tree.xpath("//link[@rel='stylesheet'][not(@media)]/@href")
    return [link.split("?")[0].removeprefix("../") for link in links]


def _font_rules(chinese: Path) -> str:
    """Name the fonts of the text, the same everywhere: most come with matplotlib."""
    fonts = {_FONT_FOLDER / name: kind for name, kind in _FONTS.items()}
    fonts[chinese] = (FAMILY, "normal", 400)
    rules = ""
    for path, (family, style, weight) in fonts.items():
        rules += (
            f'@font-face {{ font-family: "{family}"; font-style: {style}; '
            f"font-weight: {weight}; "
            f"src: {_carry(path, f'font/{path.suffix[1:]}')}; }}\n"
        )
    return rules


def _carry(file: Path, kind: str) -> str:
    """Write a file as an address that holds it."""
    data = b64encode(file.read_bytes()).decode("ascii")
    return f"url(data:{kind};base64,{data})"


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
