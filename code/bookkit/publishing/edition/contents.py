"""Read the order of the book, and what its title page says."""

import tomllib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from bookkit.book.address import repository_url, site_url
from bookkit.book.dates import commit_time
from bookkit.book.errors import BookError
from bookkit.book.files import CONFIG
from bookkit.book.notebooks import CONTENTS, read_yaml


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
