"""Validate notebooks as the tests do, in a process of its own: `pytest --nbval`."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.compare.record import NotebookRecord, read_records

# To load what a notebook has no use for takes longer than to run a short one.
PLAIN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
SIDE_BY_SIDE = ("--numprocesses=logical", "--maxprocesses=8", "--dist=loadfile")


@dataclass(frozen=True)
class Validation:
    """What a run of notebooks said.

    Args:
        passed: Whether pytest was content.
        records: What it found in each notebook, by its path from the root.
        report: What it printed.
    """

    passed: bool
    records: dict[str, NotebookRecord]
    report: str


def validate(root: Path, notebooks: Sequence[Path], *options: str) -> Validation:
    """Run notebooks and compare each output with the stored one.

    Args:
        root: The book's root.
        notebooks: Which, in this order.
        *options: More options of pytest.

    Raises:
        BookError: The run did not come to its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.json")
        command = [sys.executable, "-m", "pytest", "--nbval", *PLAIN]
        command += ["--record-notebooks", record, *options, *notebooks]
        done = subprocess.run(
            command,
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ended = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if done.returncode not in ended or not record.is_file():
            raise BookError(
                f"pytest must run the notebooks to their end, and stopped with the "
                f"status {done.returncode}; it said: {done.stdout[-2000:].strip()}"
            )
        return Validation(done.returncode == 0, read_records(record), done.stdout)
