"""Read built pages as files: their ids, their weight."""

import gzip
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html
from lxml.html import HtmlElement

# What a web server sends as it is: it is compressed already.
COMPRESSED = {".woff", ".woff2", ".png", ".jpg", ".webp"}


def list_pages(root: Path) -> list[str]:
    """List the pages of a built site by their paths.

    Parts of the theme are no pages, nor is one that only leads to another, nor the one
    for lost readers, whose addresses hold in the folder that it is published in only.
    """
    return sorted(
        page.relative_to(root).as_posix()
        for page in root.rglob("*.html")
        if page.relative_to(root).parts[0] not in {"_static", "_sources", "404.html"}
        and not parse(page).xpath("//meta[@http-equiv = 'refresh']")
    )


@cache
def parse(file: Path) -> HtmlElement:
    """Parse a page."""
    return html.document_fromstring(file.read_text("utf-8"))


@cache
def read_ids(file: Path) -> Counter[str]:
    """Count the ids of a page."""
    return Counter(parse(file).xpath("//@id"))


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
