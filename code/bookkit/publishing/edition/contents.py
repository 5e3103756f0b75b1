"""Read the order of the book and what its title page says; divide it for paper."""

import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from bookkit.book.address import repository_url, site_url
from bookkit.book.chinese import LANGUAGE
from bookkit.book.errors import BookError
from bookkit.book.files import CONFIG, commit_time
from bookkit.book.notebooks import CHINESE, CONTENTS, read_yaml

_APPENDIX = "book/appendix"
_API = f"{_APPENDIX}/api"
_API_PART = "The API of the package"
# What is looked up beside the API, by the names of its parts.
_OTHERS = {
    "Cards and traps": ("fact_cards", "formula_card", "convention_traps"),
    "Sources and checks": (
        "paper_to_code",
        "parity",
        "how_it_is_checked",
        "benchmarks",
    ),
}
_PARTS = {
    f"{_APPENDIX}/{name}.html": part
    for part, names in _OTHERS.items()
    for name in names
}


@dataclass(frozen=True)
class Part:
    """A part of the book; its pages are paths in the built site."""

    title: str
    pages: list[str]


@dataclass(frozen=True)
class Book:
    """What the editions need to know about the book."""

    title: str
    author: str
    address: str | None
    repository: str
    language: str
    first_page: str
    parts: list[Part]
    changed: datetime | None = field(default=None)
    subjects: list[str] = field(default_factory=list)
    # "all", its "text" without the solutions of chapters, or these "solutions" alone.
    shown: str = "all"

    @property
    def day(self) -> str:
        """The day of its last change, as a reader writes it; nothing if unknown."""
        return "" if self.changed is None else f"{self.changed:%d %B %Y}".lstrip("0")

    @property
    def pages(self) -> list[str]:
        """The paths of all pages, in reading order."""
        return [self.first_page, *(page for part in self.parts for page in part.pages)]

    def link(self, path: str, anchor: str) -> str | None:
        """Address a place of the site that is not in the book.

        Args:
            path: The path in the site.
            anchor: The place on the page, or "".

        Returns:
            The address, or None where the address of the site is unknown.
        """
        if self.address is None:
            return None
        return f"{self.address}{quote(path)}" + (f"#{quote(anchor)}" if anchor else "")


def read_book(root: Path) -> Book:
    """Read the book's settings and its order.

    Raises:
        BookError: The table of contents has no parts.
    """
    config, toc = read_yaml(root / CONFIG), read_yaml(root / CONTENTS)
    if not toc.get("parts"):
        raise BookError(f"{CONTENTS} must list the parts of the book; add `parts`.")
    seconds = commit_time(root)
    return Book(
        title=config["title"],
        author=config["author"],
        address=site_url(repository_url(root)),
        repository=repository_url(root),
        language=config["sphinx"]["config"]["language"],
        first_page=f"{toc['root']}.html",
        parts=[Part(part["caption"], _list_pages(part)) for part in toc["parts"]],
        changed=None if seconds is None else datetime.fromtimestamp(seconds, UTC),
        subjects=_read_subjects(root / "pyproject.toml"),
    )


def file_of(page: str) -> str:
    """Name the file of a page of the site in the EPUB."""
    return page.removesuffix(".html") + ".xhtml"


def _read_subjects(settings: Path) -> list[str]:
    """Read the keywords of the project, none where it has no settings."""
    if not settings.is_file():
        return []
    project = tomllib.loads(settings.read_text("utf-8")).get("project", {})
    return project.get("keywords", [])


def _list_pages(part: dict) -> list[str]:
    """List the pages of a part, each before those below it."""
    entries = part.get("chapters", []) + part.get("sections", [])
    pages = []
    for entry in entries:
        pages += [f"{entry['file']}.html", *_list_pages(entry)]
    return pages


def divide(book: Book, solved: Collection[str] = ()) -> dict[str, Book]:
    """Divide a book into volumes, each with a name; that of the text has none.

    Args:
        book: The whole book.
        solved: Its pages with solutions.

    Returns:
        The text, and beside it the volumes for which the book has pages.
    """
    text = _keep(book, lambda page: not (_is_looked_up(page) or _is_chinese(page)))
    looked_up = sorted(filter(_is_looked_up, book.pages), key=_order)
    chinese = [*filter(_is_chinese, book.pages)]
    volumes = {"": text}
    if answers := [page for page in text.pages if page in solved]:
        volumes[""] = replace(text, shown="text")
        first, *_ = answers
        volume = _keep(text, lambda page: page in answers and page != first)
        title = f"{book.title}: Solutions"
        volumes["solutions"] = replace(
            volume, title=title, first_page=first, shown="solutions"
        )
    if looked_up:
        first, *rest = looked_up
        parts = [
            Part(title, [page for page in rest if _PARTS.get(page, _API_PART) == title])
            for title in (_API_PART, *_OTHERS)
        ]
        volumes["reference"] = _begin(book, first, parts, "Reference")
    if chinese:
        first, *rest = chinese
        volume = _begin(book, first, [Part("中文", rest)], "中文")
        volumes["chinese"] = replace(volume, language=LANGUAGE)
    return volumes


def _keep(book: Book, is_kept: Callable[[str], bool]) -> Book:
    parts = [Part(p.title, [*filter(is_kept, p.pages)]) for p in book.parts]
    return replace(book, parts=[part for part in parts if part.pages])


def _begin(book: Book, first: str, parts: list[Part], title: str) -> Book:
    """Make a volume that begins with a page."""
    parts = [part for part in parts if part.pages]
    return replace(book, title=f"{book.title}: {title}", first_page=first, parts=parts)


def _is_looked_up(page: str) -> bool:
    return page.startswith((f"{_API}.", f"{_API}/")) or page in _PARTS


def _order(page: str) -> int:
    """Say how late in what is looked up a page stands: behind the API, by its part."""
    return [_API_PART, *_OTHERS].index(_PARTS.get(page, _API_PART))


def _is_chinese(page: str) -> bool:
    return page.startswith(CHINESE)
