"""Turn pages of the site into the chapters of an EPUB: XHTML, MathML and pictures."""

from html import escape

from lxml import etree
from lxml.html import HtmlElement

from bookkit.publishing.edition.contents import Book
from bookkit.publishing.edition.formulas import keep_formulas
from bookkit.publishing.edition.pages import relink
from bookkit.publishing.edition.rows import mark_rows
from bookkit.publishing.edition.tables import fit_tables, let_names_break

_MATHML = "http://www.w3.org/1998/Math/MathML"
_SVG = "http://www.w3.org/2000/svg"
# An HTML parser writes all names in lower case; XML is particular about these.
_CASED = (
    "viewBox preserveAspectRatio linearGradient radialGradient clipPath textPath "
    "gradientUnits gradientTransform markerWidth markerHeight markerUnits refX refY "
    "patternUnits textLength lengthAdjust foreignObject"
)
_SVG_NAMES = {name.lower(): name for name in _CASED.split()}
# The site marks the lines of other outputs, for its own narrow pages.
_PRINTED = (
    ".//div[contains(concat(' ', @class, ' '), ' cell_output ')]"
    "//pre[not(contains(concat(' ', @class, ' '), ' wraps '))]"
)
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


def write_chapter(article: HtmlElement, page: str, title: str, book: Book) -> str:
    """Write a page of the site as an XHTML file."""
    pages = set(book.pages)

    def link(path: str, anchor: str) -> str | None:
        if path not in pages:
            return book.link(path, anchor)
        return chapter_name(path) + (f"#{anchor}" if anchor else "")

    relink(article, page, link, picture_name)
    keep_formulas(article)
    for table in article.xpath(_PRINTED):
        mark_rows(table)
    let_names_break(article, on_small_pages=True)
    fit_tables(article)
    for math in article.iter("math"):
        math.set("xmlns", _MATHML)
    for drawing in article.iter("svg"):
        _restore_case(drawing)
        _name_links(drawing)
    article.tag = "section"
    article.attrib.pop("role", None)
    body = etree.tostring(article, method="xml", encoding="unicode")
    return frame(title, body, book.language)


def uses(article: HtmlElement) -> str:
    """List what a chapter holds besides XHTML, in the words of a package file."""
    found = [
        word
        for word, name in (("mathml", "math"), ("svg", "svg"))
        if article.find(f".//{name}") is not None
    ]
    return " ".join(found)


def _restore_case(drawing: HtmlElement) -> None:
    """Give the parts of a drawing the names that XML knows."""
    drawing.set("xmlns", _SVG)
    for element in drawing.iter(etree.Element):
        element.tag = _SVG_NAMES.get(element.tag, element.tag)
        for name in [name for name in element.attrib if name in _SVG_NAMES]:
            element.set(_SVG_NAMES[name], element.attrib.pop(name))


def _name_links(drawing: HtmlElement) -> None:
    """Name the links of a drawing in the way that EPUB asks for."""
    drawing.attrib.pop("role", None)  # of the roles of groups it knows none
    for link in drawing.iter("a"):
        label = link.attrib.pop("aria-label", None)
        if label:
            title = etree.Element("title")
            title.text = label
            link.insert(0, title)
