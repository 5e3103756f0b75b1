"""Put the files of an EPUB into one, in a form that validators and readers accept."""

import re
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from bookkit.publishing.edition.epub import EPUB

_DOCTYPE = re.compile(rb"<!DOCTYPE svg[^>]*>\s*")
_EMPTY_PATH = re.compile(rb"<path (?![^>]*\bd=)")
# A zip file knows no earlier day; a fixed one makes the same bytes at every run.
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


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
