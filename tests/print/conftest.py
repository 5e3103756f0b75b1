"""The whole book as PDF and as EPUB, made by `make pdf` and `make epub`."""

from pathlib import Path
from zipfile import ZipFile

import pikepdf
import pytest
from lxml import etree

from bookkit.checking.browser import SITE
from bookkit.publishing.edition.contents import read_book
from bookkit.publishing.edition.epub import EPUB
from bookkit.publishing.edition.pages import read_article, title_of
from bookkit.publishing.edition.pdf import PDF

ROOT = Path(__file__).parents[2]


def find(file: Path, command: str) -> Path:
    """Return where a file is, or say how to make it."""
    if not file.is_file():
        pytest.fail(f"{file.name} must be there; run '{command}'.")
    return file


@pytest.fixture(scope="session")
def book():
    return read_book(ROOT)


@pytest.fixture(scope="session")
def titles(book):
    return [title_of(read_article(ROOT / SITE, page)) for page in book.pages]


@pytest.fixture(scope="session")
def pdf_file():
    return find(ROOT / PDF, "make pdf")


@pytest.fixture(scope="session")
def pdf(pdf_file):
    with pikepdf.open(pdf_file) as document:
        yield document


@pytest.fixture(scope="session")
def epub():
    with ZipFile(find(ROOT / EPUB, "make epub")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="session")
def trees(epub):
    """Every file of the EPUB that is XML, parsed."""
    kinds = (".xhtml", ".svg", ".opf", ".xml")
    return {
        name: etree.fromstring(content)
        for name, content in epub.items()
        if name.endswith(kinds)
    }


@pytest.fixture(scope="session")
def root():
    return ROOT
