"""Try a copy of the book: which tests fail in it, and which notebooks differ?"""

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bookkit.book.errors import BookError

# What a copy does without: what was built, installed or cached.
LEFT_OUT = (".git", ".venv", "_build", "runs", "__pycache__", ".*_cache", ".hypothesis")
VERDICTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
LAST_LINES = 12
FIRST_RING = "not nightly and not compiled"
MOST = 10  # failing tests are enough
TIMEOUT = 120  # seconds for a test or a cell: a bug may turn a search endless
# Words of a failure that say that time was up: of pytest-timeout, and of subprocess.
TIME_LIMITS = ("from pytest-timeout", "TimeoutExpired")


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A test that failed.

    Args:
        name: Its name as `file::function`, for the first values of its parameters.
        seconds: How long it took, its fixtures included.
        timed_out: Whether a time limit ended it, and not what it found.
    """

    name: str
    seconds: float
    timed_out: bool


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """Copy the book into a temporary folder, which goes with the `with` block."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        copy = Path(name).resolve() / "book"
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        yield copy


def failing_tests(copy: Path, files: Sequence[str]) -> list[Failure]:
    """Run unit tests of the first ring in a copy of the book and list those that fail.

    A test counts once for all values of its parameters.

    Args:
        copy: The root of the copy, whose packages are the ones imported.
        files: Files of tests, or single ones, as `file::function`.

    Raises:
        BookError: The tests did not run to their end.
    """
    found: dict[str, Failure] = {}
    for case in _failures(copy, ("-m", FIRST_RING, f"--maxfail={MOST}", *files)):
        place, function = case.get("classname", ""), case.get("name", "").split("[")[0]
        name = f"{place.replace('.', '/')}.py::{function}"
        said = case.find("failure").get("message", "")
        failure = Failure(
            name=name,
            seconds=float(case.get("time")),
            timed_out=any(words in said for words in TIME_LIMITS),
        )
        found.setdefault(name, failure)
    return list(found.values())


def failing_cells(copy: Path, chapter: str) -> list[str]:
    """Run a notebook in a copy of the book and list the code cells that fail.

    Its cells that show source code are drawn first, so that the bug stands there too.

    Args:
        copy: The root of the copy.
        chapter: The notebook, from the root.

    Raises:
        BookError: The notebook did not run to its end.
    """
    drawn = _python([sys.executable, "-m", "bookkit", "draw", chapter], copy)
    if drawn.returncode:
        raise BookError(f"{chapter} must be drawn in a copy: {drawn.stdout}")
    limit = f"--nbval-cell-timeout={TIMEOUT}"
    cases = _failures(copy, ("--nbval", limit, chapter))
    return [case.get("name", "") for case in cases]


def _failures(copy: Path, arguments: Sequence[str]) -> list[ET.Element]:
    """Run pytest on the packages of a copy; return its report of what failed."""
    report = copy.parent / "report.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "--no-header"]
    command += ["-p", "no:cacheprovider", f"--junit-xml={report}"]
    command += [f"--timeout={TIMEOUT}", *arguments]
    done = _python(command, copy)
    if done.returncode not in VERDICTS or not report.is_file():
        words = " / ".join(done.stdout.splitlines()[-LAST_LINES:])
        raise BookError(
            "tests must run to their end in a copy of the book, and pytest ended with "
            f"{done.returncode}: {words}"
        )
    cases = ET.parse(report).getroot().iter("testcase")
    # An <error> is a fixture that raised: no test has judged there.
    return [case for case in cases if case.find("failure") is not None]


def _python(command: Sequence[str], copy: Path) -> subprocess.CompletedProcess:
    """Run a command whose packages are those of a copy, not of this environment."""
    own = {"PYTHONPATH": str(copy / "code"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command,
        cwd=copy,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
