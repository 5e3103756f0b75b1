"""The date of the book is that of its last change."""

import subprocess

import pytest

from bookkit.book.files import commit_time


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
