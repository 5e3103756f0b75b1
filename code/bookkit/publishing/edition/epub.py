"""Let Sphinx bind the book into an EPUB, for reading devices.

Its files are put into one in a form that validators and readers accept.
"""

import re
import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from bookkit.book.errors import BookError
from bookkit.checking.browser import find_chromium
from bookkit.publishing.build import COMMAND, run

EPUB = Path("_build/epub/the-tested-transformer.epub")
STYLES = Path("book/_editions")
_DOCTYPE = re.compile(rb"<!DOCTYPE svg[^>]*>\s*")
_EMPTY_PATH = re.compile(rb"<path (?![^>]*\bd=)")
# A zip file knows no earlier day; a fixed one makes the same bytes at every run.
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def make_epub(root: Path) -> Path:
    """Bind the book into an EPUB and return where it is.

    Raises:
        BookError: The book has a fault, or no browser is here.
    """
    find_chromium()  # which takes the stills
    target = root / EPUB
    shutil.rmtree(target.parent, ignore_errors=True)
    status, _ = run(root, (*COMMAND, "--builder", "custom", "--custom-builder", "epub"))
    if status != 0:
        raise BookError("The book has a fault, named above; mend it and try again.")
    return target


def mend_drawing(content: bytes) -> bytes:
    """Mend two ways of matplotlib that the standard of EPUB refuses.

    Its declaration refers to files elsewhere, and the outline of a space has no path.
    """
    return _EMPTY_PATH.sub(b'<path d="" ', _DOCTYPE.sub(b"", content))


def write_zip(folder: Path, names: list[str]) -> None:
    """Write files of a folder into the EPUB: the same bytes for the same book.

    The first says what the whole is, to programs that look at its bytes, so it is not
    compressed.
    """
    with ZipFile(folder / EPUB.name, "w") as archive:
        for number, name in enumerate(names):
            kind = ZIP_DEFLATED if number else ZIP_STORED
            content = (folder / name).read_bytes()
            archive.writestr(ZipInfo(name, _FIRST_DAY), content, kind, 9)
