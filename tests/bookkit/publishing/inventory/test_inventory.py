"""An inventory says what it lacks, and overwrites nothing."""

import shutil

import pytest

from bookkit.book.errors import BookError
from bookkit.publishing import inventory
from bookkit.publishing.inventory import make_inventory, read_editions, read_epub


def test_a_folder_that_is_there_is_not_overwritten(book, tmp_path):
    with pytest.raises(BookError, match="must not be there yet"):
        make_inventory(book, tmp_path)


def test_pages_that_are_not_built_are_named(monkeypatch, book):
    pages = type("Book", (), {"pages": ["book/a.html"]})
    monkeypatch.setattr(inventory, "read_book", lambda root: pages)
    with pytest.raises(BookError, match=r"book/a\.html, search\.html, and does not"):
        make_inventory(book, book / "new")


def test_editions_that_are_not_built_say_so(book):
    missing = {"state": ["not built"]}
    assert read_editions(book) == {"pdf": missing, "epub": missing}


def test_a_missing_epubcheck_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    shutil.make_archive(str(tmp_path / "a"), "zip", root_dir=tmp_path, base_dir=".")
    assert read_epub(tmp_path / "a.zip") == {"EPUBCheck": ["not installed"]}
