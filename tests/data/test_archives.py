"""Members are read by name, whatever else an archive holds."""

import pytest

from transformer.data import DataError
from transformer.data.archives import read_members

MEMBERS = {
    "._test.de": b"\x80 not text",
    "deep/test.de": b"drei\n",
    "test.en": b"three\n",
    "test.de.bak": b"old",
}


@pytest.fixture(params=["tar", "zipped"])
def archive(request, tmp_path):
    """Write an archive of each kind."""

    def write(members):
        path = tmp_path / "archive"
        path.write_bytes(request.getfixturevalue(request.param)(members))
        return path

    return write


def test_members_are_read_in_the_order_asked_for(archive):
    english, german = read_members(archive(MEMBERS), ("test.en", "test.de"))
    assert english.read() == b"three\n"
    assert german.read() == b"drei\n"


def test_nothing_is_written_to_the_disk(archive, tmp_path):
    path = archive({"../escape": b"x", "/root": b"y", "test.en": b"three\n"})
    read_members(path, ("test.en",))
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_member_is_refused_with_what_is_there(archive, refuses):
    path = archive({"b": b"", "a": b""})
    message = ".* must hold one test.en, got 0 among a, b; it is another archive than"
    refuses(lambda: read_members(path, ("test.en",)), DataError, message)


def test_two_members_of_one_name_are_refused(archive, refuses):
    path = archive({"x/a": b"", "y/a": b""})
    message = ".* must hold one a, got 2 among x/a, y/a"
    refuses(lambda: read_members(path, ("a",)), DataError, message)


def test_an_empty_archive_is_refused(archive, refuses):
    message = ".* must hold one a, got 0 among nothing"
    refuses(lambda: read_members(archive({}), ("a",)), DataError, message)


def test_another_file_is_refused(tmp_path, refuses):
    path = tmp_path / "page.html"
    path.write_bytes(b"<html>")
    message = ".*/page.html.*got something else.*delete"
    refuses(lambda: read_members(path, ("a",)), DataError, message)
