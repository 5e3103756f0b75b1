"""Python environments like Colab's: its packages, and nothing of the book."""

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.errors import BookError

FACTS = """\
import importlib.metadata as m, json, platform
names = {d.metadata["Name"].lower(): d.version for d in m.distributions()}
print(json.dumps({"python": platform.python_version(), **names}))
"""


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


def packages_of(folder: Path) -> Path:
    """Return the folder of packages of an environment."""
    [packages] = (folder / "lib").glob("python*/site-packages")
    return packages


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
    (packages_of(folder) / "below.pth").write_text(below, "utf-8")
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
