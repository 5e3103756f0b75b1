"""Put the PDFs, the EPUB and the bill of materials into the built site."""

import shutil
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.checking.browser import SITE
from bookkit.publishing.edition.epub import EPUB
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


def download_path(kind: str) -> str:
    """Name the place of something offered in the site."""
    return f"{DOWNLOADS}/{OFFERED[kind].name}"


def release(root: Path) -> Path:
    """Put what pages offer into the built site, and return the folder.

    Args:
        root: The book's root.

    Raises:
        BookError: Something offered is not made.
    """
    if missing := [
        str(path) for path in OFFERED.values() if not (root / path).exists()
    ]:
        raise BookError(
            f"What pages offer must be there, and {', '.join(missing)} is not; run "
            "'make release', which makes all of it."
        )
    folder = root / SITE / DOWNLOADS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in OFFERED.values():
        shutil.copy(root / path, folder)
    return folder
