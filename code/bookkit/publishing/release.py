"""Put the PDFs, the EPUB and the bill of materials into the built site: complete?"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from zipfile import is_zipfile

from bookkit.book.errors import BookError
from bookkit.checking.browser import SITE
from bookkit.publishing.edition.contents import Book, read_book
from bookkit.publishing.edition.epub import EPUB
from bookkit.publishing.edition.pages import read_article, read_words
from bookkit.publishing.edition.pdf import (
    CHINESE_PDF,
    PDF,
    REFERENCE_PDF,
    SOLUTIONS_PDF,
)

DOWNLOADS = "downloads"  # in the site
BILL = Path("_build/bill/bill-of-materials.cdx.json")
EDITIONS = {"PDF": PDF, "EPUB": EPUB}
VOLUMES = {
    "solutions as PDF": SOLUTIONS_PDF,
    "reference as PDF": REFERENCE_PDF,
    "Chinese pages as PDF": CHINESE_PDF,
}
OFFERED = EDITIONS | VOLUMES | {"bill of materials": BILL}
# Pages that no chapter stands behind, and what a host and a search engine ask for.
OTHERS = ("index.html", "404.html", "search.html", "searchindex.js", "_static/book.css")
PICTURE = "_static/social.png"
FEWEST_WORDS = 50
FEWEST_BYTES = 100_000  # of an edition: some hundred pages with figures


def download_path(kind: str) -> str:
    """Name the place of something offered in the site."""
    return f"{DOWNLOADS}/{OFFERED[kind].name}"


def release(root: Path) -> int:
    """Complete the built site for publication.

    Args:
        root: The book's root.

    Returns:
        How many files were looked at.

    Raises:
        BookError: A page or a file that readers expect is missing or empty.
    """
    book, site = read_book(root), root / SITE
    shutil.rmtree(site / DOWNLOADS, ignore_errors=True)
    (site / DOWNLOADS).mkdir(parents=True)
    for kind, path in OFFERED.items():
        if (root / path).is_file():
            shutil.copyfile(root / path, site / download_path(kind))
    faults = [*_faults_of_pages(book, site), *_faults_of_files(book, site)]
    if faults:
        raise BookError(
            "What is published must be complete, and is not: "
            + "; ".join(faults)
            + ". Run 'make release', which builds all of it."
        )
    return len(book.pages) + len(OTHERS) + len(OFFERED) + 2


def _faults_of_pages(book: Book, site: Path) -> Iterator[str]:
    """Name the pages of the book that are missing, or say next to nothing."""
    for page in book.pages:
        if not (site / page).is_file():
            yield f"{page} is missing"
        elif len(read_words(read_article(site, page)).split()) < FEWEST_WORDS:
            yield f"{page} has fewer than {FEWEST_WORDS} words"


def _faults_of_files(book: Book, site: Path) -> Iterator[str]:
    """Name the other files that are missing, or are not what they should be."""
    for name in OTHERS:
        if not _read(site / name):
            yield f"{name} is missing or empty"
    if not _read(site / PICTURE).startswith(b"\x89PNG"):
        yield f"{PICTURE} is no PNG"
    pdf, epub = (site / download_path(kind) for kind in EDITIONS)
    if not (_read(pdf).startswith(b"%PDF") and len(_read(pdf)) >= FEWEST_BYTES):
        yield f"{download_path('PDF')} is no PDF of a whole book"
    for kind, path in VOLUMES.items():
        if not _read(site / download_path(kind)).startswith(b"%PDF"):
            yield f"{path.name} is no PDF"
    if not (is_zipfile(epub) and len(_read(epub)) >= FEWEST_BYTES):
        yield f"{download_path('EPUB')} is no EPUB of a whole book"
    if b'"CycloneDX"' not in _read(site / DOWNLOADS / BILL.name):
        yield f"{BILL.name} is no bill of materials"
    listed = _read(site / "sitemap.xml").decode("utf-8", "replace")
    lacking = [page for page in book.pages if f"{page}</loc>" not in listed]
    if lacking and book.address:  # a sitemap names pages by their address
        yield f"sitemap.xml lacks {', '.join(lacking)}"


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
