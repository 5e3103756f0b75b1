"""The book's repository at an address of this machine, as a host would serve it."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bookkit.book.address import repository_url
from bookkit.checking.browser import serve

NEEDED = ("_config.yml", "pyproject.toml", "README.md", "LICENSE", "book", "code", "zh")
READER = ("user.name=reader", "user.email=reader@example.org", "commit.gpgsign=false")
GIT = ["git", *(word for setting in READER for word in ("-c", setting))]
NAME = "owner/book"


@contextmanager
def serve_repository(root: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Serve a copy of the book that knows its address on this machine.

    Args:
        root: The book's root.
        folder: An empty folder for the copy and the repository.

    Yields:
        The address, and the copy, in which every notebook has the address.
    """
    with serve(folder) as base:
        address = f"{base}{NAME}"
        copy = copy_book(root, folder / "copy")
        for notebook in copy.rglob("*.ipynb"):
            text = notebook.read_text("utf-8")
            notebook.write_text(text.replace(repository_url(root), address), "utf-8")
        publish(copy, folder / NAME)
        yield address, copy


def copy_book(root: Path, copy: Path) -> Path:
    """Copy what a reader's Colab asks for: the chapters and the package."""
    copy.mkdir(parents=True)
    for name in NEEDED:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=_left_out)
        else:
            shutil.copy(source, copy / name)
    return copy


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Name what is no source: compiled files, and what only the site needs."""
    unwanted = {"__pycache__", "_static", "_templates"}
    return {name for name in names if name in unwanted or name.endswith(".egg-info")}


def publish(work: Path, bare: Path) -> None:
    """Commit a folder and make a repository of it that git can read over HTTP."""
    for command in (
        [*GIT, "-C", work, "init", "-q"],
        [*GIT, "-C", work, "add", "."],
        [*GIT, "-C", work, "commit", "-qm", "The book"],
        [*GIT, "clone", "-q", "--bare", work, bare],
        [*GIT, "-C", bare, "update-server-info"],
    ):
        subprocess.run(command, check=True, capture_output=True)
