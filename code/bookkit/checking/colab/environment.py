"""What a reader's Colab has: packages without the book, and the book's repository."""

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.address import repository_url
from bookkit.book.errors import BookError
from bookkit.checking.browser import serve

FACTS = """\
import importlib.metadata as m, json, platform
names = {d.metadata["Name"].lower(): d.version for d in m.distributions()}
print(json.dumps({"python": platform.python_version(), **names}))
"""
NEEDED = ("_config.yml", "pyproject.toml", "README.md", "LICENSE", "book", "code", "zh")
READER = ("user.name=reader", "user.email=reader@example.org", "commit.gpgsign=false")
GIT = ["git", *(word for setting in READER for word in ("-c", setting))]
NAME = "owner/book"


@dataclass(frozen=True)
class Environment:
    """A Python environment in a folder."""

    folder: Path

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.folder / "bin" / "python"

    def versions(self) -> dict[str, str]:
        """Return the version of Python and of every package."""
        run = subprocess.run(
            [self.python, "-c", FACTS],
            capture_output=True,
            text=True,
            check=True,
            env=clean_variables(),
        )
        return json.loads(run.stdout)


def clean_variables() -> dict[str, str]:
    """Return the variables of this process without those that steer Python."""
    hidden = ("PYTHON", "IPYTHON", "JUPYTER", "MPL", "VIRTUAL_ENV")
    return {k: v for k, v in os.environ.items() if not k.startswith(hidden)}


def own_packages() -> Path:
    """Return the folder that holds PyTorch for this interpreter, and what lies by it.

    Raises:
        BookError: There is no PyTorch.
    """
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise BookError(
            f"'{sys.executable}' must have the packages of Colab, and has no torch; "
            "run this in Colab's image, or in the environment of this book."
        )
    return Path(spec.origin).parents[1]


def layered(folder: Path, python: Path, packages: Path, *lent: Path) -> Environment:
    """Make an environment that stands on installed packages and adds its own.

    It takes a second, so each notebook gets a clean one.

    Args:
        folder: Where to make it; there must be nothing yet.
        python: The interpreter that the packages were installed for.
        packages: Their folder.
        *lent: Folders of more packages.
    """
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    below = "".join(f"{path}\n" for path in (packages, *lent))
    [own] = (folder / "lib").glob("python*/site-packages")
    (own / "below.pth").write_text(below, "utf-8")
    return Environment(folder)


def without(packages: Path, folder: Path, names: Iterable[str]) -> Path:
    """Show a folder of packages without some of them.

    Args:
        packages: The folder.
        folder: Where links to the others go; there must be nothing yet.
        names: How the entries to leave out begin.
    """
    folder.mkdir(parents=True)
    for entry in packages.iterdir():
        if not entry.name.startswith(tuple(names)):
            (folder / entry.name).symlink_to(entry)
    return folder


def lend(name: str, folder: Path) -> Path:
    """Make a folder with one package of this interpreter, if it is there.

    Args:
        name: The package, which holds nothing but files; what says its version, for
            which it may ask, comes along.
        folder: The folder to make.
    """
    folder.mkdir(parents=True)
    spec = importlib.util.find_spec(name)
    places = [Path(p) for p in spec.submodule_search_locations or []] if spec else []
    # One that was built in place beside its installation is named twice.
    for distribution in {*importlib.metadata.packages_distributions().get(name, [])}:
        files = importlib.metadata.files(distribution) or []
        places += [Path(f.locate()).parent for f in files if f.name == "METADATA"]
    for place in places:
        (folder / place.name).symlink_to(place)
    return folder


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
