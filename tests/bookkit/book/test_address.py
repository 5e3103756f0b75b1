"""The addresses of repository and pages come from the configuration."""

import tomllib
from pathlib import Path

import pytest

from bookkit.book.address import (
    Published,
    canonical_url,
    files_url,
    page_file,
    published,
    repository_url,
    site_url,
    write_addresses,
)
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


SITE = Published("https://owner.github.io/book/")
FILES = Published("https://host.org/owner/book/blob/main/", is_site=False)


@facts(
    "link, site, file",
    [
        ("../a/b.ipynb", "book/a/b.html", "book/a/b.ipynb"),
        ("c.ipynb#part", "book/p/c.html#part", "book/p/c.ipynb#part"),
        ("../notation.md#x", "book/notation.html#x", "book/notation.md#x"),
    ],
)
def test_a_relative_link_becomes_the_address_of_the_page(link, site, file):
    text = f"See [it]({link}), and `[it]({link})`."
    for target, end in ((SITE, site), (FILES, file)):
        found = write_addresses(text, "book/p/q.ipynb", target)
        assert found == f"See [it]({target.base}{end}), and `[it]({link})`."


def test_the_base_follows_the_repository(book):
    assert published(book).base.endswith(".github.io/old-book/")
    config = (book / "_config.yml").read_text()
    (book / "_config.yml").write_text(config.replace("github.com", "codeberg.org"))
    assert published(book).base == "https://codeberg.org/owner/old-book/blob/main/"


def test_a_page_is_a_notebook_or_a_text(book):
    (book / "book" / "a.md").touch()
    assert page_file(book, "book/a") == "book/a.md"
    assert page_file(book, "book/none") is None
