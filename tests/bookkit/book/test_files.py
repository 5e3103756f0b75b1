"""Files are read and written, or named with the reason."""

import os

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import read_page, replace_files
from bookkit.checking.facts import facts


def snapshot(root):
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_files_are_written_in_new_folders_too(tmp_path):
    changes = {tmp_path / "a.md": b"a", tmp_path / "new" / "b.md": b"b"}
    replace_files(changes)
    assert {path: path.read_bytes() for path in changes} == changes
    assert len(snapshot(tmp_path)) == 2


def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing_beside_it(
    tmp_path, monkeypatch
):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    path = tmp_path / "page.md"
    path.write_bytes(b"old")
    with pytest.raises(BookError, match=r"page\.md is not \(No space"):
        replace_files({path: b"new"})
    assert [*snapshot(tmp_path)] == [path]
    assert path.read_bytes() == b"old"


@facts("data, said", [(None, "No such file"), (b"\xff", "byte 0 is not")])
def test_a_page_that_cannot_be_read_is_named(book, data, said):
    page = book / "book/page.md"
    page.unlink(missing_ok=True)
    if data:
        page.write_bytes(data)
    with pytest.raises(BookError, match=rf"^book/page\.md .*{said}"):
        read_page(page)
