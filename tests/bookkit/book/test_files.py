"""Files are read, parsed and written, or named with the reason."""

import os
import subprocess

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import (
    commit_time,
    parse_code,
    parse_file,
    read_page,
    replace_files,
)
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


def test_python_is_parsed():
    assert len(parse_code("a = 1\nb = 2").body) == 2


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ndef f(")
    words = (
        r"^a\.py, line 2 must be Python, and is not: '\(' was never closed; mend it\.$"
    )
    with pytest.raises(BookError, match=words):
        parse_file(tmp_path / "a.py", tmp_path)


@pytest.fixture(autouse=True)
def _no_given_date(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


def commit(folder, moment):
    environment = {"GIT_COMMITTER_DATE": moment, "GIT_AUTHOR_DATE": moment}
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (
        ["git", "init", "--quiet"],
        ["git", *who, "commit", "--quiet", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(command, cwd=folder, env=environment, check=True)


def test_date_is_that_of_the_last_commit(tmp_path):
    commit(tmp_path, "@1234567890 +0200")
    assert commit_time(tmp_path) == 1_234_567_890


def test_given_date_goes_first(tmp_path, monkeypatch):
    commit(tmp_path, "@1234567890 +0200")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "17")
    assert commit_time(tmp_path) == 17


def test_date_is_unknown_before_the_first_commit(tmp_path):
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    assert commit_time(tmp_path) is None


def test_date_is_unknown_without_git(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_time(tmp_path) is None


def test_a_given_date_must_be_a_number(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    with pytest.raises(ValueError, match="and is 'today'; set it right or unset it"):
        commit_time(tmp_path)
