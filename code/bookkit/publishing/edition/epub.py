"""Let Sphinx bind the book into an EPUB, for reading devices."""

import shutil
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.checking.browser import find_chromium
from bookkit.publishing.build import COMMAND, run

EPUB = Path("_build/epub/the-tested-transformer.epub")
STYLES = Path("book/_editions")


def make_epub(root: Path) -> Path:
    """Bind the book into an EPUB and return where it is.

    Raises:
        BookError: The book has a fault, or no browser is here.
    """
    find_chromium()  # which takes the stills
    target = root / EPUB
    shutil.rmtree(target.parent, ignore_errors=True)
    if run(root, (*COMMAND, "--builder", "custom", "--custom-builder", "epub")) != 0:
        raise BookError("The book has a fault, named above; mend it and try again.")
    return target
