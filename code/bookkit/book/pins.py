"""Read which versions the book is made with."""

import tomllib
from pathlib import Path

from bookkit.book.errors import BookError

SHOWN = ("torch", "numpy", "matplotlib", "transformers")


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
