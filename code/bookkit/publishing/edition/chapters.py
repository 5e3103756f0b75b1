"""Turn pages of the site into the chapters of an EPUB: XHTML, MathML and pictures."""

from html import escape

from lxml import etree
from lxml.html import HtmlElement

from bookkit.publishing.edition.chinese import mark_chinese
from bookkit.publishing.edition.contents import Book
from bookkit.publishing.edition.formulas import keep_formulas
from bookkit.publishing.edition.listings import keep_short, mark_listings
from bookkit.publishing.edition.pages import relink
from bookkit.publishing.edition.plates import take_drawings
from bookkit.publishing.edition.roles import mark_roles
from bookkit.publishing.edition.rows import mark_rows
from bookkit.publishing.edition.tables import fit_tables, let_names_break

_MATHML = "http://www.w3.org/1998/Math/MathML"
# The site marks the lines of other outputs, for its own narrow pages.
_PRINTED = (
    ".//div[contains(concat(' ', @class, ' '), ' cell_output ')]"
    "//pre[not(contains(concat(' ', @class, ' '), ' wraps '))]"
)
# A figure of letters of 8 points has this part of its size, or more; what is lower than
# so many pixels then has room wherever the styles allow it.
_LEAST, _LOW = 0.75, 360
_IN_PARTS = ".//figure[.//div[contains(concat(' ', @class, ' '), ' explorer ')]]"
_FRAME = """\
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" \
lang="{language}" xml:lang="{language}">
<head>
<title>{title}</title>
<link rel="stylesheet" type="text/css" href="epub.css"/>
</head>
<body>
{body}
</body>
</html>
"""


def chapter_name(page: str) -> str:
    """Name the file of a page in the EPUB."""
    name = page.removeprefix("book/").removesuffix(".html").replace("/", ".")
    return f"{name}.xhtml"


def picture_name(path: str) -> str:
    """Name the file of a picture, a path in the site, in the EPUB."""
    return f"images/{path.removeprefix('_images/')}"


def frame(title: str, body: str, language: str) -> str:
    """Write an XHTML file around its body."""
    return _FRAME.format(title=escape(title), body=body, language=language)


def write_chapter(
    article: HtmlElement, page: str, title: str, book: Book
) -> tuple[str, dict[str, bytes]]:
    """Write a page of the site as an XHTML file.

    Returns:
        The file, and those of the drawings that it shows, by their names.
    """
    pages = set(book.pages)

    def link(path: str, anchor: str) -> str | None:
        if path not in pages:
            return book.link(path, anchor)
        return chapter_name(path) + (f"#{anchor}" if anchor else "")

    relink(article, page, link, picture_name)
    for figure in article.xpath(_IN_PARTS):
        figure.classes.add("in-parts")
    for image in article.xpath(".//figure//img[@height]"):
        _limit(image)
    drawings = take_drawings(article)
    keep_formulas(article)
    mark_listings(article)
    keep_short(article)
    for table in article.xpath(_PRINTED):
        mark_rows(table)
    let_names_break(article, on_small_pages=True)
    fit_tables(article)
    for math in article.iter("math"):
        math.set("xmlns", _MATHML)
    article.tag = "section"
    mark_chinese(article)
    mark_roles(article, page)
    body = etree.tostring(article, method="xml", encoding="unicode")
    return frame(title, body, book.language), drawings


def _limit(image: HtmlElement) -> None:
    """Let a tall figure be as low as its letters allow: 6 points, and no smaller."""
    least = round(_LEAST * int(image.get("height")))
    if least > _LOW:
        limit = f"max-height: max(60vh, {least}px)"
        image.set("style", "; ".join(filter(None, (image.get("style"), limit))))


def uses(article: HtmlElement) -> str:
    """List what a chapter holds besides XHTML, in the words of a package file."""
    return "" if article.find(".//math") is None else "mathml"
