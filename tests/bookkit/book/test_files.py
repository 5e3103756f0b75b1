"""Files are read within the book only, and written all or not at all."""

import os

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import read_file, read_page, replace_files
from bookkit.checking.facts import facts


def snapshot(root):
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_files_are_written_in_new_folders_too(tmp_path):
    changes = {tmp_path / "a.md": b"a", tmp_path / "new" / "b.md": b"b"}
    replace_files(changes)
    assert {path: path.read_bytes() for path in changes} == changes
    assert len(snapshot(tmp_path)) == 2


@facts("last", ["replace", "write_bytes"])
def test_a_file_that_cannot_be_written_leaves_all_as_they_were(
    tmp_path, monkeypatch, last
):
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_bytes(b"old")
    os.utime(old, ns=(10**18, 10**18))
    before = snapshot(tmp_path)
    owner, name = {
        "replace": (os, "replace"),
        "write_bytes": (type(old), "write_bytes"),
    }[last]
    write, done = getattr(owner, name), []

    def fail_at_third(*arguments):
        done.append(arguments)
        if len(done) == 3:
            raise OSError(28, "No space left on device")
        return write(*arguments)

    monkeypatch.setattr(owner, name, fail_at_third)
    third = tmp_path / "third.md"
    with pytest.raises(
        BookError, match=r"third\.md is not \(No space.*nothing was changed"
    ):
        replace_files({old: b"1", new: b"2", third: b"3"})
    assert snapshot(tmp_path) == before


def test_a_page_that_leads_out_of_the_book_is_not_read(book):
    (book / "secret.md").write_text("secret")
    page = book / "book" / "page.md"
    page.symlink_to(book / "secret.md")
    with pytest.raises(BookError, match=r"^book/page\.md must lie in the folder"):
        read_page(page)


@facts("name", ["page.md", "folder/page.md"])
def test_a_page_whose_links_lead_in_a_circle_is_not_read(book, name):
    page = book / "book" / name
    link = book / "book" / name.partition("/")[0]
    link.symlink_to(link)
    words = rf"^book/{name} must be a file, and its links lead in a circle; replace"
    with pytest.raises(BookError, match=words):
        read_page(page)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"0" * 2_000_001)
    with pytest.raises(BookError, match=r"^it must have at most 2 MB, and has"):
        read_file(path, "it", most=2_000_000)
    assert len(read_file(path, "it", most=2_000_001)) == 2_000_001
