"""Say what the parts of a chapter are, in the words of EPUB and of screen readers."""

from pathlib import PurePosixPath

from lxml import etree
from lxml.html import HtmlElement

from bookkit.publishing.edition.contents import Book, file_of

_EPUB = "http://www.idpf.org/2007/ops"
_TYPE = f"{{{_EPUB}}}type"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_APPENDIX = "appendix"
# Pages that a device offers to open, by their names.
REFERENCES = ("glossary", "bibliography")
etree.register_namespace("epub", _EPUB)


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
    _mark(article, find_kind(page))
    for citation in article.find_class("citation-link"):
        _mark(citation, "biblioref")
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


def _mark(element: HtmlElement, kind: str) -> None:
    element.set(_TYPE, kind)
    element.set("role", f"doc-{kind}")
