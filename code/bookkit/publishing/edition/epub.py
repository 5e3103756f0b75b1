"""Bind the whole book into an EPUB, for reading devices."""

import re
from html import escape
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from lxml.html import HtmlElement

from bookkit.book.chinese import FONT
from bookkit.book.errors import BookError
from bookkit.checking.browser import SITE
from bookkit.publishing.edition.chapters import (
    chapter_name,
    frame,
    picture_name,
    uses,
    write_chapter,
)
from bookkit.publishing.edition.citations import link_back
from bookkit.publishing.edition.contents import Book, read_book
from bookkit.publishing.edition.fitting import fit_to_pages
from bookkit.publishing.edition.formula_font import FONT as FORMULA_FONT
from bookkit.publishing.edition.package import (
    CONTAINER,
    DESCRIPTION,
    LICENSE,
    Entry,
    Item,
    Landmark,
    write_contents,
    write_package,
)
from bookkit.publishing.edition.pages import (
    PICTURES,
    picture_path,
    read_article,
    read_words,
    title_of,
)
from bookkit.publishing.edition.roles import REFERENCES, find_kind
from bookkit.publishing.edition.stills import put_stills

EPUB = Path("_build/epub/the-tested-transformer.epub")
STYLES = Path("book/_editions")
# A small device shows figures 460 pixels wide: the letters of a wider one, of 8 points
# and more, are below 8 pixels there.
WIDEST = 613
_COVER = '<p class="cover"><img src="cover.png" alt="{title}, by {author}"/></p>'
_TITLE = """\
<section epub:type="titlepage" class="imprint">
<h1>{title}</h1>
<p>{description}</p>
<p>{author}</p>
<p>{day}</p>
{addresses}
<p>{license}</p>
<p>The fonts of formulas and of Chinese signs are parts of DejaVu Math TeX Gyre and of
Noto Serif CJK, and bring their licenses with them.</p>
</section>"""
_LANDMARKS = (
    ("cover", "Cover", "cover.xhtml"),
    ("toc", "Contents", "contents.xhtml"),
)
_DOCTYPE = re.compile(rb"<!DOCTYPE svg[^>]*>\s*")
_EMPTY_PATH = re.compile(rb"<path (?![^>]*\bd=)")
# A zip file knows no earlier day; a fixed one makes the same bytes at every run.
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def make_epub(root: Path) -> Path:
    """Bind the built site into an EPUB and return where it is.

    Raises:
        BookError: The site is not built, lacks a picture, or no browser is here.
    """
    book, site, target = read_book(root), root / SITE, root / EPUB
    articles = {page: read_article(site, page, widest=WIDEST) for page in book.pages}
    put_stills(articles, site)
    link_back(articles)
    contents = write_contents(list_entries(book, articles), _list_landmarks(book))
    styles = root / STYLES
    cover = _COVER.format(title=escape(book.title), author=escape(book.author))
    items = [
        _text("cover.xhtml", frame(book.title, cover, book.language), is_read=True),
        _text("title.xhtml", _write_title(book), is_read=True),
        _text(
            "contents.xhtml", frame("Contents", contents, book.language), "nav", True
        ),
        *_bind_chapters(book, articles, site),
        Item("cover.png", (styles / "cover.png").read_bytes(), "cover-image"),
        Item("epub.css", (styles / "epub.css").read_bytes()),
        Item("chinese.woff", (root / FONT).read_bytes()),
        Item("formulas.woff", (root / FORMULA_FONT).read_bytes()),
    ]
    target.parent.mkdir(parents=True, exist_ok=True)
    write_zip(target, book, fit_to_pages(items))
    return target


def _write_title(book: Book) -> str:
    """Write the page that says what the book is, and what a reader may do with it."""
    places = map(escape, filter(None, (book.address, book.repository)))
    addresses = [f'<p><a href="{place}">{place}</a></p>' for place in places]
    body = _TITLE.format(
        title=escape(book.title),
        description=DESCRIPTION,
        author=escape(book.author),
        day="" if book.changed is None else f"{book.changed:%d %B %Y}".lstrip("0"),
        addresses="\n".join(addresses),
        license=LICENSE,
    )
    return frame(book.title, body, book.language)


def _list_landmarks(book: Book) -> list[Landmark]:
    begin = Landmark("bodymatter", "Begin", chapter_name(book.first_page))
    references = [
        Landmark(kind, kind.capitalize(), chapter_name(page))
        for page in book.pages
        if (kind := find_kind(page)) in REFERENCES
    ]
    return [*(Landmark(*mark) for mark in _LANDMARKS), begin, *references]


def list_entries(book: Book, articles: dict[str, HtmlElement]) -> list[Entry]:
    """List parts, chapters and sections for the table of contents."""
    first = book.first_page
    entries = [_entry(first, articles[first])]
    for part in book.parts:
        chapters = [_entry(page, articles[page]) for page in part.pages]
        # A part has no page of its own: it opens at its first chapter.
        entries.append(Entry(part.title, chapters[0].target, chapters))
    return entries


def _entry(page: str, article: HtmlElement) -> Entry:
    name = chapter_name(page)
    sections = [
        Entry(read_words(heading), f"{name}#{heading.getparent().get('id')}", [])
        for heading in article.iter("h2")
        if heading.getparent().get("id")
    ]
    return Entry(title_of(article), name, sections)


def _bind_chapters(
    book: Book, articles: dict[str, HtmlElement], site: Path
) -> list[Item]:
    """Write each chapter, and take along the pictures that they show."""
    items, pictures, drawings = [], {}, {}
    for page, article in articles.items():
        title = title_of(article)
        pictures |= _find_pictures(article, page, site)
        text, drawn = write_chapter(article, page, title, book)
        drawings |= drawn
        items.append(_text(chapter_name(page), text, uses(article), True))
    files = drawings | {
        name: _mend_drawing(name, path.read_bytes()) for name, path in pictures.items()
    }
    return items + [Item(name, files[name]) for name in sorted(files)]


def _find_pictures(article: HtmlElement, page: str, site: Path) -> dict[str, Path]:
    """Find the files of the pictures that a page of the site shows, by their new names.

    Raises:
        BookError: A picture is not there.
    """
    paths = [picture_path(image, page) for image in article.xpath(PICTURES)]
    for path in filter(None, paths):
        if not (site / path).is_file():
            raise BookError(
                f"{page} must show pictures of the site only, and {path} is not in it; "
                "run `make book` again, or mend the page."
            )
    return {picture_name(path): site / path for path in paths if path}


def _mend_drawing(name: str, content: bytes) -> bytes:
    """Mend two ways of matplotlib that the standard of EPUB refuses.

    Its declaration refers to files elsewhere, and the outline of a space has no path.
    """
    if not name.endswith(".svg"):
        return content
    return _EMPTY_PATH.sub(b'<path d="" ', _DOCTYPE.sub(b"", content))


def _text(name: str, text: str, properties: str = "", is_read: bool = False) -> Item:
    return Item(name, text.encode(), properties, is_read)


def write_zip(target: Path, book: Book, items: list[Item]) -> None:
    """Write the file: the same bytes for the same book."""
    files = {
        "META-INF/container.xml": CONTAINER.encode(),
        "book/package.opf": write_package(book, items).encode(),
        **{f"book/{item.name}": item.content for item in items},
    }
    with ZipFile(target, "w") as archive:
        # The first bytes of the file say what it is, so this one is not compressed.
        kind = ZipInfo("mimetype", _FIRST_DAY)
        archive.writestr(kind, "application/epub+zip", ZIP_STORED)
        for name, content in files.items():
            archive.writestr(ZipInfo(name, _FIRST_DAY), content, ZIP_DEFLATED, 9)
