"""Bugs, written as small patches of the package: classic ones, and others by meaning.

A classic bug of Transformers names the chapters that explain it. The others were chosen
by somebody who had not seen the tests: each is wrong for some input, and no chapter
tells of it.
"""

import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from bookkit.book.errors import BookError

FOLDER, INDEX = "tests/mutants/patches", "tests/mutants/patches.toml"
PATCHED = "code/transformer/"
KINDS = ("classic", "meaning", "all")


@dataclass(frozen=True, kw_only=True)
class Patch:
    """One bug.

    Args:
        name: That of its file, without `.patch`.
        wrong: What is wrong with the package, in a sentence.
        chapters: The notebooks that explain what is wrong, from the book's root; none
            for a bug by meaning.
        tests: The files of unit tests that should notice.
        text: The unified diff.
    """

    name: str
    wrong: str
    chapters: tuple[str, ...]
    tests: tuple[str, ...]
    text: str

    @property
    def kind(self) -> str:
        """Whether it is a classic bug, or one by meaning."""
        return "classic" if self.chapters else "meaning"

    @property
    def files(self) -> list[str]:
        """The files that it changes."""
        return re.findall(r"^\+\+\+ b/(\S+)", self.text, flags=re.MULTILINE)


def read_patches(root: Path, only: str = "*", kind: str = "all") -> list[Patch]:
    """Read the patches of the book in the order of their index.

    Args:
        root: The book's root.
        only: A pattern of names, such as `rotary*`.
        kind: One of `KINDS`.

    Raises:
        BookError: The index and the folder differ, a patch lacks something, names
            a file that is not there or changes one outside the package, or none has
            such a name.
    """
    entries = tomllib.loads((root / INDEX).read_text(encoding="utf-8"))
    found = {path.stem for path in (root / FOLDER).glob("*.patch")}
    if differing := sorted(found ^ entries.keys()):
        raise BookError(
            f"{INDEX} must have an entry for each file of {FOLDER}, and they differ in "
            f"{', '.join(differing)}; add what is missing."
        )
    named = {name: entries[name] for name in entries if fnmatch(name, only)}
    patches = [_read(name, entry, root) for name, entry in named.items()]
    chosen = [patch for patch in patches if kind in ("all", patch.kind)]
    if not chosen:
        raise BookError(
            f"a patch must have the name that is asked for, got {only!r}; "
            f"{INDEX} lists the names."
        )
    return chosen


def _read(name: str, entry: dict, root: Path) -> Patch:
    """Read one patch and check what it names."""
    wanted = {"wrong", "tests"}
    if entry.keys() | {"chapters"} != wanted | {"chapters"} or not all(entry.values()):
        raise BookError(
            f"{name} of {INDEX} must say {', '.join(sorted(wanted))}, that of a "
            "classic bug chapters too, and says "
            f"{', '.join(sorted(entry))}; mend the entry."
        )
    text = (root / FOLDER / f"{name}.patch").read_text(encoding="utf-8")
    chapters, tests = tuple(entry.get("chapters", ())), tuple(entry["tests"])
    patch = Patch(
        name=name, wrong=entry["wrong"], chapters=chapters, tests=tests, text=text
    )
    missing = [file for file in (*chapters, *tests) if not (root / file).is_file()]
    if missing:
        raise BookError(
            f"{name} of {INDEX} must name files of the book, and {', '.join(missing)} "
            "is not there; mend the entry."
        )
    if not patch.files or not all(file.startswith(PATCHED) for file in patch.files):
        raise BookError(
            f"{FOLDER}/{name}.patch must change files of {PATCHED}, and changes "
            f"{', '.join(patch.files) or 'none'}; write it as a unified diff from the "
            "book's root."
        )
    return patch


def apply(patch: Patch, root: Path, *, reverse: bool = False) -> None:
    """Apply a patch to a copy of the book, or take it back.

    Raises:
        BookError: The patch does not fit.
    """
    command = ["git", "apply", *(["--reverse"] if reverse else []), "-"]
    # In a folder of its own, git must not look for a repository around it.
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.resolve().parent)}
    result = subprocess.run(
        command,
        cwd=root,
        env=environment,
        input=patch.text,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if result.returncode:
        raise BookError(
            f"{FOLDER}/{patch.name}.patch must apply to the package as it is, and does "
            f"not: {' '.join(result.stderr.split())}; write it anew."
        )
