"""A reader's inventory of the built book: make one, and compare two.

One of before tools or styles change and one of after tell what is different for
readers, page by page: what they read, where links lead, what axe finds, how it looks.
"""

import json
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pypdfium2
from lxml import html
from playwright.sync_api import sync_playwright

from bookkit.book.errors import BookError
from bookkit.checking.browser import ARGUMENTS, find_chromium, serve
from bookkit.checking.inventory.pages import Kinds, find_hits, look_at, read_page

VALIDATOR = Path("/usr/share/java/epubcheck.jar")  # Debian's


def make_inventory(site: Path, folder: Path, only: str = "*") -> int:
    """Write an inventory of the pages of a site, and say how many they are.

    Args:
        site: The folder of the built site; the PDFs and the EPUB are beside it.
        folder: Where a file and a folder of pictures go for each page.
        only: A pattern of their paths, such as `book/position/*`. With another than
            "*" there is nothing of the search, the PDFs and the EPUB.

    Raises:
        BookError: The site has no such page.
    """
    found = (file.relative_to(site) for file in sorted(site.rglob("*.html")))
    pages = [page for page in found if page.parts[0] != "_static" and page.match(only)]
    if not pages:
        raise BookError(
            f"{site} must hold pages named {only!r}, and holds none; run `make book`."
        )
    with serve(site) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*ARGUMENTS]
        )
        for page in pages:
            pictures = (folder / page).with_suffix("")
            pictures.mkdir(parents=True, exist_ok=True)
            kinds = read_page(site / page) | look_at(browser, base, page, pictures)
            _write(folder, page.as_posix(), kinds)
        if only == "*" and (site / "search.html").is_file():
            _write(folder, "hits", find_hits(browser, base))
        browser.close()
    if only == "*":
        for file in sorted(site.parent.glob("pdf/*.pdf")):
            _write(folder, file.name, read_pdf(file))
        for file in sorted(site.parent.glob("epub/*.epub")):
            _write(folder, file.name, read_epub(file))
    return len(pages)


def _write(folder: Path, name: str, kinds: Kinds) -> None:
    text = json.dumps(kinds, ensure_ascii=False, indent=1)
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def read_pdf(file: Path) -> Kinds:
    """Read the lines of a PDF, each page beneath its number."""
    lines = []
    with pypdfium2.PdfDocument(file) as document:
        for number, page in enumerate(document, start=1):
            text = page.get_textpage().get_text_bounded()
            lines += [f"page {number}", *text.splitlines()]
    return {"text": lines, "bytes": [f"{file.stat().st_size:,}"]}


def read_epub(file: Path) -> Kinds:
    """Read the lines of each page of an EPUB, and what EPUBCheck says of it."""
    with ZipFile(file) as archive:
        pages = {
            name: html.document_fromstring(archive.read(name)).text_content()
            for name in archive.namelist()
            if name.endswith(".xhtml")
        }
    kinds = {
        name: [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        for name, text in pages.items()
    }
    said = ["is not installed"]
    if (java := shutil.which("java")) and VALIDATOR.is_file():
        command = [java, "-jar", VALIDATOR, file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        said = (done.stdout + done.stderr).replace(str(file), file.name).splitlines()
    return kinds | {"EPUBCheck": said, "bytes": [f"{file.stat().st_size:,}"]}
