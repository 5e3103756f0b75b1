"""The repository's address is read from the configuration."""

import tomllib
from pathlib import Path

import pytest

from bookkit.book.address import canonical_url, files_url, repository_url, site_url
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts

URL = "https://git.example.org/new-owner/new.book"


@facts("branch, folder", [(", branch: next", "next"), ("", "main")])
def test_files_are_shown_on_the_branch_that_is_published(tmp_path, branch, folder):
    config = f"repository: {{url: https://a.org/b/c{branch}}}\n"
    (tmp_path / "_config.yml").write_text(config)
    assert files_url(tmp_path) == f"https://a.org/b/c/blob/{folder}"


def test_the_address_is_read_from_the_settings(book):
    assert repository_url(book) == "https://github.com/owner/old-book"


@facts("text", ["title: x\n", "repository: x\n", "- x\n", ""])
def test_settings_without_an_address_are_an_error(book, text):
    (book / "_config.yml").write_text(text)
    with pytest.raises(BookError, match="must give the repository's address"):
        repository_url(book)


@facts(
    "url", [URL, f"{URL}/", f"{URL}.git", f"{URL}.git/", "http://127.0.0.1:8000/o/n"]
)
def test_an_address_is_read_without_what_may_follow(url):
    assert canonical_url(url) == url.removesuffix("/").removesuffix(".git")


@facts(
    "url",
    [
        "",
        "github.com/owner/name",
        "git@github.com:owner/name.git",
        "https://github.com/owner",
        "https://github.com/owner/name/tree/main",
        "https://user:secret@github.com/owner/name",
        'https://github.com/owner/name"',
    ],
)
def test_what_is_no_repository_address_is_refused(url):
    with pytest.raises(ValueError, match=r"must have the form .*, and is .*; give the"):
        canonical_url(url)


def test_only_github_tells_where_the_site_is():
    assert site_url("https://github.com/Ada/book") == "https://ada.github.io/book/"
    assert site_url("https://github.com/Ada/ada.github.io") == "https://ada.github.io/"
    assert site_url(URL) is None


def test_the_package_tells_where_its_repository_and_its_site_are():
    root = find_root(Path(__file__))
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    repository = repository_url(root)
    assert project["urls"] == {
        "Homepage": site_url(repository),
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{files_url(root)}/CHANGELOG.md",
    }
    assert project["authors"] == [{"name": "The authors of The Tested Transformer"}]
