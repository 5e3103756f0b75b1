"""The date of the book: when its last change was committed, never when it was built."""

import os
import subprocess
from pathlib import Path


def commit_time(root: Path) -> int | None:
    """Return when the last commit was made, in seconds since 1970.

    `SOURCE_DATE_EPOCH` goes first, as https://reproducible-builds.org asks. The answer
    is `None` where neither is known: outside a repository, or without git.

    Raises:
        ValueError: `SOURCE_DATE_EPOCH` is no number of seconds.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        if not given.isascii() or not given.isdigit():
            raise ValueError(
                "SOURCE_DATE_EPOCH must be a number of seconds since 1970, and is "
                f"{given!r}; set it right or unset it."
            )
        return int(given)
    said = ask_git(root, "log", "-1", "--format=%ct")
    return int(said) if said.isdigit() else None


def ask_git(root: Path, *question: str) -> str:
    """Return what git says about the repository that starts at a folder, or ""."""
    if not (root / ".git").exists():
        return ""
    try:
        said = subprocess.run(
            ["git", *question], cwd=root, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""
