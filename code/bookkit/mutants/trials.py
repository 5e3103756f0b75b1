"""Try a copy of the book: which tests fail in it, and which notebooks differ?"""

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bookkit.notebooks import NotebookError

# What a copy does without: what was built, installed or cached.
LEFT_OUT = (".git", ".venv", "_build", "runs", "__pycache__", ".*_cache", ".hypothesis")
FAILED, PASSED = 1, 0  # exit codes of pytest; all others are no verdict
LAST_LINES = 12
CELL_TIMEOUT = 120  # seconds: a bug may turn a search endless


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """Copy the book into a temporary folder, which goes with the `with` block."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        copy = Path(name).resolve() / "book"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        yield copy


def failing_tests(copy: Path, files: Sequence[str]) -> list[str]:
    """Run unit tests in a copy of the book and list those that fail.

    A test is named as `file::function`, once for all values of its parameters.

    Args:
        copy: The root of the copy, whose packages are the ones imported.
        files: Files of tests.

    Raises:
        NotebookError: The tests did not run to their end.
    """
    names = (
        f"{place.replace('.', '/')}.py::{name.split('[')[0]}"
        for place, name in _failures(copy, files)
    )
    return list(dict.fromkeys(names))


def failing_cells(copy: Path, chapter: str) -> list[str]:
    """Run a notebook in a copy of the book and list the code cells that fail.

    Its cells that show source code are drawn anew before: a bug stands there too.

    Args:
        copy: The root of the copy.
        chapter: The notebook, from the root.

    Raises:
        NotebookError: The notebook did not run to its end.
    """
    drawn = run_module("bookkit", "draw", chapter, copy=copy)
    if drawn.returncode:
        raise NotebookError(f"{chapter} must be drawn in a copy: {last_lines(drawn)}")
    limit = f"--nbval-cell-timeout={CELL_TIMEOUT}"
    return [name for _, name in _failures(copy, ("--nbval", limit, chapter))]


def _failures(copy: Path, arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Run pytest and return place and name of each test that failed."""
    report = copy.parent / "report.xml"
    report.unlink(missing_ok=True)
    options = ("-q", "--no-header", "-p", "no:cacheprovider", f"--junit-xml={report}")
    result = run_module("pytest", *options, *arguments, copy=copy)
    if result.returncode not in (FAILED, PASSED):
        raise NotebookError(
            "tests must run to their end in a copy of the book, and pytest ended with "
            f"{result.returncode}: {last_lines(result)}"
        )
    cases = ET.parse(report).getroot().iter("testcase")
    # An <error> is a fixture that raised: no test has judged there.
    return [
        (case.get("classname", ""), case.get("name", ""))
        for case in cases
        if case.find("failure") is not None
    ]


def run_module(
    module: str, *arguments: str, copy: Path
) -> subprocess.CompletedProcess[str]:
    """Run `python -m module` on the packages of a copy."""
    environment = os.environ | {
        "PYTHONPATH": str(copy / "code"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=copy,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def last_lines(result: subprocess.CompletedProcess[str]) -> str:
    """Return the end of what a command said, in one line."""
    lines = (result.stdout + result.stderr).strip().splitlines()
    return " / ".join(line.strip() for line in lines[-LAST_LINES:])
