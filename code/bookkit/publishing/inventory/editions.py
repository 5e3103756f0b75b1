"""Read the words of the PDF and of the EPUB, and what EPUBCheck says."""

import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pypdfium2
from lxml import html

from bookkit.publishing.edition.epub import EPUB
from bookkit.publishing.edition.pdf import PDF

VALIDATOR = Path("/usr/share/java/epubcheck.jar")  # Debian's


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
