"""One command rewrites the repository's address everywhere, or nowhere."""

import shutil
import tomllib
from pathlib import Path

import pytest

from bookkit.book.address import canonical_url, files_url, repository_url, site_url
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import (
    chapters,
    notebook_paths,
    read_notebook,
    renew_notebooks,
)
from bookkit.checking.facts import facts
from bookkit.writing.bootstrap import bootstrap_renewal, bootstrap_source
from bookkit.writing.repository import COLAB, set_repository, text_files

NEW = "https://git.example.org/new-owner/new.book"
OLD = "https://github.com/owner/old-book"


@pytest.fixture
def copy(tmp_path):
    """A copy of the real repository's tree."""
    dropped = shutil.ignore_patterns(
        ".venv", ".git", "_build", "__pycache__", ".*_cache"
    )
    return Path(
        shutil.copytree(find_root(Path(__file__)), tmp_path / "copy", ignore=dropped)
    )


def snapshot(root):
    """Read every file below a folder, and when it was changed."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_the_address_is_read_from_the_settings(book):
    assert repository_url(book) == OLD


@facts("text", ["title: x\n", "repository: x\n", "- x\n", ""])
def test_settings_without_an_address_are_an_error(book, text):
    (book / "_config.yml").write_text(text)
    with pytest.raises(BookError, match="must give the repository's address"):
        repository_url(book)


@facts(
    "url",
    [NEW, f"{NEW}/", f"{NEW}.git", f"{NEW}.git/", "http://127.0.0.1:8000/o/n"],
)
def test_a_repository_address_is_accepted(url):
    assert canonical_url(url) == url.removesuffix("/").removesuffix(".git")


@facts(
    "url",
    [
        "",
        "github.com/owner/name",
        "git@github.com:owner/name.git",
        "https://github.com",
        "https://github.com/owner",
        "https://github.com/owner/name/tree/main",
        "https://github.com/owner/name#readme",
        "https://user:secret@github.com/owner/name",
        "https://github.com/owner/na me",
        'https://github.com/owner/name"',
    ],
)
def test_what_is_no_repository_address_is_refused(book, url):
    before = snapshot(book)
    with pytest.raises(ValueError, match=r"must have the form .*, and is .*; give the"):
        set_repository(book, url)
    assert snapshot(book) == before


def test_every_address_in_the_real_tree_changes_and_changes_back(copy):
    renew_notebooks(chapters(copy), bootstrap_renewal(copy))
    old, before = repository_url(copy), snapshot(copy)
    new = "/".join(["https://example.org", "an-owner", "found-nowhere"])

    changed = set_repository(copy, new)

    assert "_config.yml" in changed
    texts = {path: path.read_text("utf-8") for path in text_files(copy)}
    assert [path for path, text in texts.items() if old in text] == []
    owner_and_name = old.split("/", 3)[3]
    assert not [p for p, text in texts.items() if f"{COLAB}/{owner_and_name}" in text]
    for path in notebook_paths(copy):
        sources = [cell.source for cell in read_notebook(path).cells]
        assert bootstrap_source(new) in sources
    set_repository(copy, old)
    assert {path: path.read_bytes() for path in before} == {
        path: data for path, (data, _) in before.items()
    }


def test_links_change_and_similar_addresses_do_not(book, write_chapter, code, saved):
    path = write_chapter(f"# T\n\n[Colab]({COLAB}/owner/old-book/blob/main/x.ipynb)")
    renew_notebooks([path], bootstrap_renewal(book))
    (book / "README.md").write_text(
        f"<{OLD}> {OLD}/issues {OLD}.git {OLD}. {OLD}-two {OLD}.io {OLD}s"
    )

    changed = set_repository(book, NEW)

    assert changed == ["README.md", "_config.yml", "book/part/chapter.ipynb"]
    assert (book / "README.md").read_text() == (
        f"<{NEW}> {NEW}/issues {NEW}.git {NEW}. {OLD}-two {OLD}.io {OLD}s"
    )
    config = (book / "_config.yml").read_text()
    assert f'  url: "{NEW}"  # the one place\n' in config
    title, bootstrap = saved(path).cells
    assert f"({COLAB}/new-owner/new.book/blob/main/x.ipynb)" in title.source
    assert bootstrap.source == bootstrap_source(NEW)


def test_the_address_of_the_site_follows_on_github_and_stays_elsewhere(book):
    site = "<https://{}/> https://{}/page"
    old, new = "owner.github.io/old-book", "new-owner.github.io/new.book"
    (book / "README.md").write_text(site.format(old, old))
    set_repository(book, NEW)
    assert (book / "README.md").read_text() == site.format(old, old)
    set_repository(book, OLD)
    set_repository(book, "https://github.com/new-owner/new.book")
    assert (book / "README.md").read_text() == site.format(new, new)


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


def test_a_stale_bootstrap_is_renewed_with_the_address(
    book, write_chapter, code, saved
):
    path = write_chapter("# T", code("old", tags=["remove-cell"]))
    set_repository(book, NEW)
    assert saved(path).cells[1].source == bootstrap_source(NEW)


def test_files_of_tools_and_of_other_encodings_stay(book):
    (book / ".hidden").mkdir()
    (book / ".hidden" / "a.md").write_text(OLD)
    (book / "_build").mkdir()
    (book / "_build" / "a.html").write_text(OLD)
    (book / "latin.txt").write_bytes(f"é {OLD}".encode("latin-1"))
    (book / ".github").mkdir()
    (book / ".github" / "a.yml").write_text(OLD)
    assert set_repository(book, NEW) == [".github/a.yml", "_config.yml"]


def test_a_broken_notebook_stops_everything(book, write_chapter):
    write_chapter("# T").write_text("{")
    before = snapshot(book)
    with pytest.raises(BookError, match=r"chapter\.ipynb must be a notebook in JSO"):
        set_repository(book, NEW)
    assert snapshot(book) == before
