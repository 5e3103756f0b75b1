"""What is published is complete, or it is not published."""

import shutil
from itertools import product
from zipfile import ZIP_STORED, ZipFile

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.release import (
    BILL,
    DOWNLOADS,
    EDITIONS,
    OFFERED,
    OTHERS,
    PICTURE,
    VOLUMES,
    release,
)

PAGES = ("book/index", "book/part/chapter")
ADDRESS = "https://owner.github.io/old-book"
TEXT = "<html><body><article>" + "word " * 60 + "</article></body></html>"


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.fixture
def site(book):
    """A small site with all that is published, and the editions beside it."""
    return fill(book)


def fill(book):
    """Give a book what is published: the value is the folder of its site."""
    with (book / "_config.yml").open("a") as config:
        config.write("author: A\nsphinx: {config: {language: en}}\n")
    folder = book / "_build/html"
    for page in PAGES:
        write(folder / f"{page}.html", TEXT)
    for name in OTHERS:
        write(folder / name, "content")
    write(folder / PICTURE, b"\x89PNG")
    places = "".join(f"<loc>{ADDRESS}/{page}.html</loc>" for page in PAGES)
    write(folder / "sitemap.xml", places)
    write(book / EDITIONS["PDF"], b"%PDF" + bytes(100_000))
    write(book / EDITIONS["EPUB"], b"")
    with ZipFile(book / EDITIONS["EPUB"], "w", ZIP_STORED) as archive:
        archive.writestr("a", bytes(100_000))
    for path in VOLUMES.values():
        write(book / path, b"%PDF")
    write(book / BILL, '{"bomFormat": "CycloneDX"}')
    return folder


def test_what_is_offered_is_put_into_a_complete_site(book, site):
    assert release(book) == len(PAGES) + len(OTHERS) + 8
    for path in OFFERED.values():
        copy = site / DOWNLOADS / path.name
        assert copy.read_bytes() == (book / path).read_bytes()


@facts("name", [*OTHERS, "sitemap.xml", PICTURE, "book/index.html"])
def test_a_file_that_is_missing_is_named(tmp_path, new_book, name):
    book = new_book(tmp_path)
    (fill(book) / name).unlink()
    with pytest.raises(BookError, match=rf"must be complete, .*{name}.* 'make rel"):
        release(book)


@facts(
    "name, content, said",
    [
        ("book/index.html", TEXT.replace("word", ""), "has fewer than 50 words"),
        ("404.html", "", "404.html is missing or empty"),
        (PICTURE, "<svg/>", "social.png is no PNG"),
        ("sitemap.xml", PAGES[0], "sitemap.xml lacks book/index.html, book/part/chap"),
    ],
)
def test_a_file_without_its_content_is_named(tmp_path, new_book, name, content, said):
    book = new_book(tmp_path)
    write(fill(book) / name, content)
    with pytest.raises(BookError, match=said):
        release(book)


@facts("kind", EDITIONS)
@facts("content", [None, b"", b"%PDF of one page", bytes(200_000)])
def test_an_edition_that_is_none_is_named(tmp_path, new_book, kind, content):
    book = new_book(tmp_path)
    fill(book)
    path = book / EDITIONS[kind]
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(BookError, match=f"is no {kind} of a whole book"):
        release(book)


@facts("content", [None, "[]"])
def test_a_bill_that_is_none_is_named(tmp_path, new_book, content):
    book = new_book(tmp_path)
    fill(book)
    path = book / BILL
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(BookError, match=r"cdx\.json is no bill of materials"):
        release(book)


@facts("path, content", product(VOLUMES.values(), [None, b"[]"]))
def test_a_volume_that_is_none_is_named(tmp_path, new_book, path, content):
    book = new_book(tmp_path)
    fill(book)
    file = book / path
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(BookError, match=rf"not: {path.name} is no PDF\. Run"):
        release(book)


def test_an_edition_of_an_earlier_run_is_not_published(book, site):
    release(book)
    (book / EDITIONS["PDF"]).unlink()
    with pytest.raises(BookError, match="is no PDF of a whole book"):
        release(book)


def test_all_faults_are_named_at_once(book, site):
    shutil.rmtree(site)
    with pytest.raises(BookError) as caught:
        release(book)
    faults = str(caught.value).split("; ")
    assert len(faults) == len(PAGES) + len(OTHERS) + len(["picture", "sitemap"])


def test_a_book_that_lives_elsewhere_needs_no_sitemap(book, site):
    config = (book / "_config.yml").read_text()
    (book / "_config.yml").write_text(config.replace("github.com", "example.org"))
    (site / "sitemap.xml").unlink()
    assert release(book)
