"""The reader's inventory: all that readers see of the book, kept to be compared.

An inventory is a folder with a JSON file for each page, for the search, the PDF and the
EPUB. A file maps kinds, such as "headings" or "links", to lines. Beside the file of a
page stand its pictures, at a quarter of their size.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from zipfile import ZipFile

import pypdfium2
from lxml import html

from bookkit.book.errors import BookError
from bookkit.checking.browser import SITE
from bookkit.publishing.edition.contents import read_book
from bookkit.publishing.edition.epub import EPUB
from bookkit.publishing.edition.pdf import PDF
from bookkit.publishing.edition.press import open_site
from bookkit.publishing.inventory.pages import (
    MODES,
    SEARCH,
    WIDTHS,
    find_hits,
    read_page,
)

VALIDATOR = Path("/usr/share/java/epubcheck.jar")  # Debian's


def make_inventory(
    root: Path,
    folder: Path,
    *,
    only: str = "*",
    widths: Sequence[int] = WIDTHS,
    modes: Sequence[str] = MODES,
) -> int:
    """Write down what readers see of the built site, the PDF and the EPUB.

    Args:
        root: The root of the book.
        folder: Where to write; a new folder.
        only: A pattern of pages. With another than "*" there is nothing of the search,
            the PDF and the EPUB.
        widths: The widths of the window, in pixels; words are read at the first.
        modes: "light", "dark" or both; words are read in the first.

    Returns:
        The number of pages.

    Raises:
        BookError: The site is not built, has no such page, or there is a folder.
    """
    if folder.exists():
        raise BookError(f"{folder} must not be there yet, and is; name another folder.")
    pages = [p for p in [*read_book(root).pages, SEARCH] if fnmatch(p, f"*{only}*")]
    missing = [page for page in pages or [only] if not (root / SITE / page).is_file()]
    if missing:
        raise BookError(
            f"{SITE} must hold {', '.join(missing)}, and does not; run 'make book'."
        )
    with open_site(root / SITE) as (browser, base):
        for page in pages:
            place = folder / page.removesuffix(".html")
            place.mkdir(parents=True)
            chosen = {"modes": modes, "widths": widths}
            _write(place, read_page(browser, base, page, place, **chosen))
        if only == "*":
            _write(folder / "hits", find_hits(browser, base))
    if only == "*":
        for name, kinds in read_editions(root).items():
            _write(folder / name, kinds)
    return len(pages)


def _write(place: Path, kinds: Mapping[str, Sequence[str]]) -> None:
    """Write a line a line, so that `diff` shows what has changed."""
    text = json.dumps(kinds, ensure_ascii=False, indent=1, sort_keys=True)
    place.with_suffix(".json").write_text(f"{text}\n", "utf-8")


def read_editions(root: Path) -> dict[str, dict[str, list[str]]]:
    """Read both editions, each by kind; one that is not built says so."""
    readers = {"pdf": (PDF, read_pdf), "epub": (EPUB, read_epub)}
    return {
        name: read(root / file) if (root / file).is_file() else {"state": ["not built"]}
        for name, (file, read) in readers.items()
    }


def read_pdf(file: Path) -> dict[str, list[str]]:
    """Read the lines of a PDF, each page beneath its number."""
    lines = []
    with pypdfium2.PdfDocument(file) as document:
        for number, page in enumerate(document, start=1):
            text = page.get_textpage().get_text_bounded()
            lines += [f"page {number}", *text.splitlines()]
    return {"text": lines}


def read_epub(file: Path) -> dict[str, list[str]]:
    """Read the lines of each chapter of an EPUB, and what EPUBCheck says of it."""
    with ZipFile(file) as archive:
        chapters = {
            name: html.document_fromstring(archive.read(name)).text_content()
            for name in archive.namelist()
            if name.endswith(".xhtml")
        }
    lines = {
        name: [flat for line in text.splitlines() if (flat := " ".join(line.split()))]
        for name, text in chapters.items()
    }
    said = check_epub(file)
    words = "not installed" if said is None else said.stdout + said.stderr
    return lines | {"EPUBCheck": words.replace(str(file), file.name).splitlines()}


def check_epub(file: Path) -> subprocess.CompletedProcess[str] | None:
    """Ask EPUBCheck about an EPUB, where it is installed."""
    java = shutil.which("java")
    if java is None or not VALIDATOR.is_file():
        return None
    command = [java, "-jar", VALIDATOR, file]
    return subprocess.run(command, capture_output=True, text=True, check=False)
