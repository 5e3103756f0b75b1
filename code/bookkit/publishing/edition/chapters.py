"""Turn the text of a page, as Sphinx writes it, into XHTML for reading devices.

It marks the Chinese in prose, which a device may have no font for. Code and outputs
have the font anyway, and the glossary marks its names itself.

It says what the parts of a chapter are, in the words of EPUB and of screen readers.
"""

import re
from math import ceil
from pathlib import PurePosixPath

from lxml import etree, html
from lxml.html import HtmlElement, builder

from bookkit.book.chinese import LANGUAGE, SIGNS
from bookkit.publishing.edition.contents import Book, file_of
from bookkit.publishing.edition.formulas import take_signs
from bookkit.publishing.edition.pages import DRAWING_CODE, clean
from bookkit.publishing.edition.solutions import gather_solutions
from bookkit.publishing.edition.stills import Camera
from bookkit.publishing.edition.tables import (
    fit_tables,
    let_names_break,
    limit_heights,
    take_narrow,
)

_MATHML = "http://www.w3.org/1998/Math/MathML"
# Some code of the package is folded away, with a link to its tests behind it: a device
# has room for it, as for all but the code that draws figures.
_DROPPED = (
    f"{DRAWING_CODE}[not(../following-sibling::*[1][contains(@class, 'api-link')])]"
)
# Signs of a row of code on a phone, and rows of what stays on one page.
_ROW, _FEW = 36, 10
_INLINE = ".//span[contains(concat(' ', @class, ' '), ' math ')]"
_WORDS = re.compile(f"({SIGNS.pattern}+)")
_IS_CODE = "ancestor::pre or ancestor::code"
_IS_MARKED = f"ancestor::*[@lang='{LANGUAGE}']"
_PROSE = f".//text()[not({_IS_CODE} or {_IS_MARKED})]"
_EPUB = "http://www.idpf.org/2007/ops"
_TYPE = f"{{{_EPUB}}}type"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_APPENDIX = "appendix"
# Pages that a device offers to open, by their names.
REFERENCES = ("glossary", "bibliography")
etree.register_namespace("epub", _EPUB)


def write_chapter(body: str, page: str, camera: Camera) -> str:
    """Write the text of a page as XHTML; a camera takes the stills that it shows.

    Args:
        body: What Sphinx has written, as HTML.
        page: The path of the page, without its ending.
        camera: It keeps its pictures in the folder `_images` of the EPUB.
    """
    article = html.fragment_fromstring(body, create_parent="article")
    take_narrow(article)
    clean(article, _DROPPED)
    gather_solutions(article, page)
    limit_heights(article)
    up = "../" * page.count("/")
    for name, still in camera.take_stills(article).items():
        still.set("src", f"{up}_images/{name}")
    for formula in article.xpath(_INLINE):
        _keep_signs(formula)
    for listing in article.iter("pre"):
        _keep_short(listing)
    let_names_break(article, on_small_pages=True)
    fit_tables(article)
    for math in article.iter("math"):
        math.set("xmlns", _MATHML)
    article.tag = "section"
    mark_chinese(article)
    mark_roles(article, page)
    return etree.tostring(article, method="xml", encoding="unicode")


def _keep_signs(place: HtmlElement) -> None:
    """Keep a full stop and a bracket on the line of the formula beside them."""
    before, after = take_signs(place)
    parts = place.findall("math")
    if not parts:
        return
    if before:
        _wrap(parts[0]).text = before
    if after:
        kept = parts[-1].getparent()
        (_wrap(parts[-1]) if kept is place else kept).find("math").tail = after


def _wrap(math: HtmlElement) -> HtmlElement:
    """Put a formula into an element that stays on one line."""
    kept = builder.SPAN(builder.CLASS("kept"))
    math.addprevious(kept)
    kept.tail, math.tail = math.tail, None
    kept.append(math)
    return kept


def _keep_short(listing: HtmlElement) -> None:
    """Mark code or an output that is too short to stand on two pages."""
    lines = listing.text_content().rstrip().splitlines()
    if sum(max(1, ceil(len(line) / _ROW)) for line in lines) <= _FEW:
        listing.classes.add("short")


def mark_chinese(article: HtmlElement) -> None:
    """Put the Chinese words of a page into parts that name their language."""
    for text in article.xpath(_PROSE):
        if SIGNS.search(text):
            _mark(text)


def _mark(text: etree._ElementUnicodeResult) -> None:
    first, *rest = _WORDS.split(text)
    parts = []
    for words, after in zip(rest[::2], rest[1::2], strict=True):
        parts.append(builder.SPAN(words, lang=LANGUAGE))
        parts[-1].tail = after
    beside = text.getparent()
    if text.is_tail:
        beside.tail, around = first, beside.getparent()
        place = around.index(beside) + 1
    else:
        beside.text, around, place = first, beside, 0
    around[place:place] = parts


def find_kind(page: str) -> str:
    """Return what a page of the site is: a chapter, or a part of the appendix."""
    path = PurePosixPath(page)
    if path.stem in REFERENCES:
        return path.stem
    return _APPENDIX if _APPENDIX in path.parts else "chapter"


def list_landmarks(book: Book, cover: str) -> list[tuple[str, str, str]]:
    """List the places that a device offers to open: kind, title and file of each."""
    return [
        ("cover", "Cover", cover),
        ("toc", "Contents", "nav.xhtml"),
        ("bodymatter", "Begin", file_of(book.first_page)),
        *(
            (kind, kind.capitalize(), file_of(page))
            for page in book.pages
            if (kind := find_kind(page)) in REFERENCES
        ),
    ]


def mark_roles(article: HtmlElement, page: str) -> None:
    """Mark a page, its citations, its terms, and the heads of its tables."""
    _mark_part(article, find_kind(page))
    for citation in article.find_class("citation-link"):
        _mark_part(citation, "biblioref")
    for glossary in article.find_class("glossary"):
        for name, kind in (("dt", "glossterm"), ("dd", "glossdef")):
            for part in glossary.iter(name):
                part.set(_TYPE, kind)
    for head in article.iter("th"):
        if not head.get("scope"):
            in_head = next(head.iterancestors("thead"), None) is not None
            head.set("scope", "col" if in_head else "row")
    for part in article.xpath(".//*[@lang]"):
        part.set(_LANGUAGE, part.get("lang"))


def _mark_part(element: HtmlElement, kind: str) -> None:
    element.set(_TYPE, kind)
    element.set("role", f"doc-{kind}")
