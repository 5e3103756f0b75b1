"""Write the files of an EPUB that say what it holds and in which order."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from mimetypes import guess_type
from pathlib import PurePath
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from bookkit.publishing.edition.contents import Book

CONTAINER = """\
<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"""
_PACKAGE = """\
<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" \
xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:creator>{author}</dc:creator>
<dc:language>{language}</dc:language>
<dc:description>{description}</dc:description>
<dc:rights>{license}</dc:rights>
<dc:source>{repository}</dc:source>
{subjects}<meta property="dcterms:modified">{changed}</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessModeSufficient">textual,visual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityFeature">structuralNavigation</meta>
<meta property="schema:accessibilityFeature">readingOrder</meta>
<meta property="schema:accessibilityFeature">displayTransformability</meta>
<meta property="schema:accessibilityHazard">none</meta>
<meta property="schema:accessibilitySummary">{summary}</meta>
<meta name="cover" content="{cover}"/>
</metadata>
<manifest>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""
DESCRIPTION = "A textbook in which every output is computed again and compared."
LICENSE = "Text and figures: CC BY 4.0. Code: MIT License."
_SUMMARY = (
    "Figures have descriptions, formulas are MathML with their source beside them, and "
    "exercises and solutions lead to one another. Nothing moves, sounds or needs a "
    "script."
)
_COVER = "cover-image"
# What Python does not know on every system.
_KINDS = {".xhtml": "application/xhtml+xml", ".woff": "font/woff"}
# The standard asks for a moment; this one says that it is unknown.
_UNKNOWN = "1980-01-01T00:00:00Z"


@dataclass(frozen=True)
class Item:
    """A file of the EPUB: its name, what it holds, and whether it is read in turn."""

    name: str
    content: bytes
    properties: str = ""
    is_read: bool = False

    @property
    def media_type(self) -> str:
        """The kind of the file."""
        suffix = PurePath(self.name).suffix
        if suffix in _KINDS:
            return _KINDS[suffix]
        return guess_type(self.name)[0] or "application/octet-stream"


@dataclass(frozen=True)
class Entry:
    """A line of the table of contents, with the lines below it."""

    title: str
    target: str
    below: list["Entry"]


class Landmark(NamedTuple):
    """A place that a device offers to open, by its kind in the words of EPUB."""

    kind: str
    title: str
    target: str


def write_package(book: Book, items: list[Item]) -> str:
    """Write the package file, which lists all files in the order of reading."""
    names = {item.name: f"f{number}" for number, item in enumerate(items)}
    changed = _UNKNOWN if book.changed is None else f"{book.changed:%Y-%m-%dT%H:%M:%SZ}"
    return _PACKAGE.format(
        identifier=uuid5(NAMESPACE_URL, book.repository),
        title=escape(book.title),
        author=escape(book.author),
        language=book.language,
        description=DESCRIPTION,
        license=LICENSE,
        summary=_SUMMARY,
        cover=next(names[i.name] for i in items if i.properties == _COVER),
        repository=escape(book.repository),
        changed=changed,
        subjects="".join(_write_subjects(book)),
        items="\n".join(_manifest_line(item, names[item.name]) for item in items),
        spine="\n".join(
            f'<itemref idref="{names[item.name]}"/>' for item in items if item.is_read
        ),
    )


def _write_subjects(book: Book) -> Iterator[str]:
    """Write what the book is about, and its day."""
    for subject in book.subjects:
        yield f"<dc:subject>{escape(subject)}</dc:subject>\n"
    if book.changed is not None:
        yield f"<dc:date>{book.changed:%Y-%m-%d}</dc:date>\n"


def _manifest_line(item: Item, name: str) -> str:
    properties = f' properties="{item.properties}"' if item.properties else ""
    return (
        f'<item id="{name}" href="{escape(item.name)}" '
        f'media-type="{item.media_type}"{properties}/>'
    )


def write_contents(entries: list[Entry], landmarks: list[Landmark]) -> str:
    """Write the table of contents as the body of an XHTML file.

    A device lists it all in its menu, and shows no sections on the page itself.

    Args:
        entries: Its lines.
        landmarks: What a device offers to open besides, such as the cover.
    """
    marks = "\n".join(
        f'<li><a epub:type="{mark.kind}" href="{mark.target}">{mark.title}</a></li>'
        for mark in landmarks
    )
    return (
        '<nav epub:type="toc" id="toc" role="doc-toc">\n<h1>Contents</h1>\n'
        f"{_list(entries)}\n</nav>\n"
        '<nav epub:type="landmarks" id="landmarks" hidden="hidden">\n'
        f"<h2>Landmarks</h2>\n<ol>\n{marks}\n</ol>\n</nav>"
    )


def _list(entries: list[Entry]) -> str:
    are_sections = "#" in entries[0].target
    hidden = ' hidden="hidden"' if are_sections else ""
    return f"<ol{hidden}>\n" + "\n".join(map(_line, entries)) + "\n</ol>"


def _line(entry: Entry) -> str:
    below = _list(entry.below) if entry.below else ""
    return f'<li><a href="{escape(entry.target)}">{escape(entry.title)}</a>{below}</li>'
