"""Plant patches in copies of the book, and keep which tests and notebooks notice."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.checking.patches import Patch, apply, read_patches

# What a copy does without: what was built, installed or cached.
LEFT_OUT = (".git", ".venv", "_build", "runs", "__pycache__", ".*_cache", ".hypothesis")
VERDICTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
LAST_LINES = 12
FIRST_RING = "not nightly and not compiled"
MOST = 10  # failing tests are enough
TIMEOUT = 120  # seconds for a test or a cell: a bug may turn a search endless
# Words of a failure that say that time was up: of pytest-timeout, and of subprocess.
TIME_LIMITS = ("from pytest-timeout", "TimeoutExpired")
FILE = "book/appendix/data/patches.json"
Verdict = dict[str, Any]


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


def plant(
    root: Path,
    *,
    only: str = "*",
    kind: str = "all",
    report: Callable[[str], None] = print,
) -> None:
    """Plant patches one by one, record what noticed them, and report a line for each.

    Args:
        root: The book's root; nothing of the package is changed there.
        only: A pattern of names; the record of the other patches stays.
        kind: Classic bugs, those by meaning, or all.
        report: What to do with a line.

    Raises:
        BookError: A patch is faulty, or no unit test has noticed one.
    """
    patches = read_patches(root, only, kind)
    unseen = []
    for patch in patches:
        verdict = judge(patch, root)
        write_verdict(root, patch.name, verdict)
        report(line(patch.name, verdict))
        unseen += [] if verdict["tests"] else [patch.name]
    report(f"{len(patches) - len(unseen)} of {len(patches)} patches caught by tests.")
    if unseen:
        raise BookError(
            f"unit tests must notice each patch, and let {', '.join(unseen)} pass; "
            "write the test that is missing, or name its file."
        )


def judge(patch: Patch, root: Path) -> Verdict:
    """Plant one patch in a copy of the book and return what noticed it.

    Tried are the tests and the notebooks that it names.
    """
    with copied(root) as copy:
        apply(patch, copy)
        failed = failing_tests(copy, patch.tests)
        shown = {chapter: failing_cells(copy, chapter) for chapter in patch.chapters}
    first = failed[0] if failed else None
    return {
        "tests": len(failed),
        "first": first and first.name,
        "seconds": first and first.seconds,
        "timed_out": first and first.timed_out,
        "notebooks": {
            chapter: {"cells": len(cells), "first": cells[0] if cells else None}
            for chapter, cells in shown.items()
        },
    }


def line(name: str, verdict: Verdict) -> str:
    """Summarize in a line what noticed a patch."""
    shown = [
        f"{Path(chapter).stem}: {found['cells']} cells, first {found['first']}"
        for chapter, found in verdict["notebooks"].items()
        if found["cells"]
    ]
    return (
        f"{name}: {verdict['tests']} tests, first {verdict['first']}; "
        f"{'; '.join(shown) or 'no notebook'}"
    )


def read_verdicts(root: Path) -> dict[str, Verdict]:
    """Read what is on record: a verdict for each name of a patch; none at first."""
    path = root / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_verdict(root: Path, name: str, verdict: Verdict) -> None:
    """Put a verdict on record, beside those of patches that there still are."""
    kept = read_verdicts(root) | {name: verdict}
    names = [patch.name for patch in read_patches(root) if patch.name in kept]
    text = json.dumps({name: kept[name] for name in names}, indent=1) + "\n"
    replace_file(root / FILE, text.encode("utf-8"))


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
