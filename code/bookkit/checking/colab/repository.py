"""The book's repository at an address of this machine, as a host would serve it."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

from bookkit.checking.browser import serve
from bookkit.writing.repository import set_repository

NEEDED = ("_config.yml", "pyproject.toml", "README.md", "LICENSE", "book", "code", "zh")
READER = ("user.name=reader", "user.email=reader@example.org", "commit.gpgsign=false")
GIT = ["git", *(word for setting in READER for word in ("-c", setting))]
OWNER, NAME = "owner", "book"


class Host(SimpleHTTPRequestHandler):
    """Serve a bare repository to git, and single files at /owner/name/raw/commit/path.

    That is how a host of repositories names them.
    """

    @property
    def bare(self) -> Path:
        """The repository that is served."""
        return Path(self.directory, OWNER, NAME)

    def do_GET(self) -> None:
        """Answer one request."""
        asked = self.path.removeprefix(f"/{OWNER}/{NAME}/raw/")
        if asked == self.path:
            super().do_GET()
            return
        # What is asked for may look like an option, such as one that writes a file.
        show = [*GIT, "-C", self.bare, "show", "--end-of-options"]
        shown = subprocess.run([*show, asked.replace("/", ":", 1)], capture_output=True)
        self.send_response(404 if shown.returncode else 200)
        self.end_headers()
        self.wfile.write(shown.stdout)

    def log_message(self, *_: object) -> None:
        """Keep the log to itself."""


@contextmanager
def serve_repository(root: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Serve a copy of the book that knows its address on this machine.

    Args:
        root: The book's root.
        folder: An empty folder for the copy and the repository.

    Yields:
        The address, and the copy, in which every file uses the address.
    """
    with serve(folder, Host) as base:
        address = f"{base}{OWNER}/{NAME}"
        copy = copy_book(root, folder / "copy")
        set_repository(copy, address)
        publish(copy, folder / OWNER / NAME)
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
