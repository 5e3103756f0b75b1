"""The whole book as PDF and as EPUB, made by `make pdf` and `make epub`."""

import sys
from pathlib import Path
from zipfile import ZipFile

import pikepdf
import pypdfium2
import pytest
from lxml import etree

sys.path.insert(0, str(Path(__file__).parent))

from bookkit.checking.browser import SITE
from bookkit.publishing.edition.contents import read_book
from bookkit.publishing.edition.epub import EPUB
from bookkit.publishing.edition.pages import read_article, title_of
from bookkit.publishing.edition.pdf import (
    CHINESE_PDF,
    PDF,
    REFERENCE_PDF,
    SOLUTIONS_PDF,
    lay_out,
    read_volumes,
)
from bookkit.publishing.edition.press import Press, open_site

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
def paper_book():
    """The book as the PDF holds it, without its other volumes."""
    return read_volumes(ROOT)[""]


@pytest.fixture(scope="session")
def articles(book):
    """The text of each page, as the editions read it; to be read only."""
    return {page: read_article(ROOT / SITE, page) for page in book.pages}


@pytest.fixture(scope="session")
def titles(articles):
    return [title_of(article) for article in articles.values()]


@pytest.fixture(scope="session")
def one_page(paper_book):
    """The whole book on one page, as it is printed; to be read only."""
    return lay_out(paper_book, ROOT)


@pytest.fixture(scope="session")
def reference_page():
    """What is looked up, on one page, as it is printed; to be read only."""
    return lay_out(read_volumes(ROOT)["reference"], ROOT)


@pytest.fixture(scope="session")
def pdf_file():
    return find(ROOT / PDF, "make pdf")


@pytest.fixture(scope="session")
def pdf(pdf_file):
    with pikepdf.open(pdf_file) as document:
        yield document


@pytest.fixture(scope="session")
def reader(pdf_file):
    """A second opinion: not the library that wrote the file."""
    with pypdfium2.PdfDocument(pdf_file) as document:
        yield document


@pytest.fixture(scope="session")
def solutions_reader():
    with pypdfium2.PdfDocument(find(ROOT / SOLUTIONS_PDF, "make pdf")) as document:
        yield document


@pytest.fixture(scope="session")
def reference_reader():
    with pypdfium2.PdfDocument(find(ROOT / REFERENCE_PDF, "make pdf")) as document:
        yield document


@pytest.fixture(scope="session")
def chinese_reader():
    with pypdfium2.PdfDocument(find(ROOT / CHINESE_PDF, "make pdf")) as document:
        yield document


@pytest.fixture(scope="session")
def outline(reader):
    """The level, the words and the page of each entry of the outline."""
    return [
        (entry.level, entry.get_title(), entry.get_dest().get_index())
        for entry in reader.get_toc()
    ]


@pytest.fixture(scope="session")
def opened():
    """A browser, and the address of the site."""
    with open_site(ROOT / SITE) as browser_and_address:
        yield browser_and_address


@pytest.fixture(scope="session")
def press(opened):
    return Press(*opened)


@pytest.fixture(scope="session")
def epub():
    with ZipFile(find(ROOT / EPUB, "make epub")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="session")
def folder(epub, tmp_path_factory):
    """The files of the EPUB in a folder, for a browser."""
    unpacked = tmp_path_factory.mktemp("epub")
    for name, content in epub.items():
        (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / name).write_bytes(content)
    return unpacked


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


@pytest.fixture(scope="session")
def site():
    return ROOT / SITE
