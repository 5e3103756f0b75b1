"""Read built pages as files: their links, their ids, their weight."""

import gzip
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

# What a web server sends as it is: it is compressed already.
COMPRESSED = {".woff", ".woff2", ".png", ".jpg", ".webp"}
LINKS = (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"))


def list_pages(root: Path) -> list[str]:
    """List the pages of a built site by their paths.

    Parts of the theme are no pages, nor is one that only leads to another.
    """
    return sorted(
        page.relative_to(root).as_posix()
        for page in root.rglob("*.html")
        if page.relative_to(root).parts[0] not in {"_static", "_sources"}
        and not parse(page).find("meta", attrs={"http-equiv": "refresh"})
    )


@cache
def parse(file: Path) -> BeautifulSoup:
    """Parse a page."""
    return BeautifulSoup(file.read_text("utf-8"), "html.parser")


@cache
def read_ids(file: Path) -> Counter[str]:
    """Count the ids of a page."""
    return Counter(tag["id"] for tag in parse(file).find_all(id=True))


def find_broken_links(root: Path, path: str) -> list[str]:
    """List the links of a page that lead to no file or to no place within it."""
    page = root / path
    links = [
        tag[attribute]
        for name, attribute in LINKS
        for tag in parse(page).find_all(name, **{attribute: True})
    ]
    return [link for link in links if not _leads_somewhere(root, page, link)]


def _leads_somewhere(root: Path, page: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = page if not parts.path else page.parent / unquote(parts.path)
    target = target.resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(root.resolve()):
        return False
    anchor = unquote(parts.fragment)
    return not anchor or target.suffix != ".html" or anchor in read_ids(target)


def find_repeated_ids(root: Path, path: str) -> list[str]:
    """List the ids that a page holds more than once."""
    return [name for name, count in read_ids(root / path).items() if count > 1]


@cache
def weigh(file: Path) -> int:
    """Count the bytes that a web server sends for a file."""
    content = file.read_bytes()
    if file.suffix in COMPRESSED:
        return len(content)
    return len(gzip.compress(content, compresslevel=6))


def weigh_requests(root: Path, requests: list[str]) -> int:
    """Count the bytes that a reader downloads for the requests of a first visit."""
    files = {root / unquote(urlsplit(request).path) for request in requests}
    return sum(weigh(file) for file in files)
