"""List all that one page lacks: the rules that it breaks, and what its tests say."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bookkit.book.boxes import EXERCISE, boxes
from bookkit.book.cells import code_cells
from bookkit.book.errors import BookError
from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import read_notebook
from bookkit.checking.rules import check_book, check_notebook
from bookkit.checking.validate import SIDE_BY_SIDE

# Beside the tests of its chapter: those that are about all pages, or about a label.
TESTS = ["tests/formulas"]
TESTS += [
    f"tests/chapters/test_{name}.py"
    for name in ("every_figure", "exercises", "readings", "wrong_answers")
]
ALL_PAGES = ["formula", "every_exercise", "every_figure"]  # words of their names
_RAISED = "Cell execution caused an exception"
_CODE_CELL = re.compile(r"\bcode cell (\d+)")


def missing(path: Path) -> list[str]:
    """List what a page lacks; a part that ends in an error does not end the others."""
    root, found = find_root(path), []
    for part, about in (
        (check_notebook, path),
        (check_book, root),
        (failures, path),
    ):
        try:
            found += part(about)
        except BookError as error:
            found.append(str(error))
    return list(dict.fromkeys(found))


def failures(path: Path) -> list[str]:
    """List what fails of a page: formulas, exercises, figures, and its outputs."""
    root, notebook = find_root(path), read_notebook(path)
    name = relative_name(path, root)
    ids = [cell.id for _, cell in code_cells(notebook)]

    def identified(match: re.Match) -> str:
        return f"{match[0]} (id {ids[int(match[1]) - 1]})"

    labels = [box.label for _, box in boxes(notebook) if box.kind == EXERCISE]
    paths = [name, f"tests/chapters/{path.stem}", *TESTS]
    paths = [one for one in paths if (root / one).exists()]
    words = " or ".join([path.stem, *ALL_PAGES, *labels])
    told = _told(_run(root, paths, words))
    lines = dict.fromkeys(_CODE_CELL.sub(identified, one, count=1) for one in told)
    head = (
        "The page computes and shows what its tests expect. "
        "`.venv/bin/python -m pytest` and the name in brackets say more; where a new "
        f"output is meant, `make run check NOTEBOOK={name}` stores it."
    )
    return [head, *lines] if lines else []


def _run(root: Path, paths: list[str], words: str) -> list[ElementTree.Element]:
    """Run tests and notebooks whose names have some words, and return the report.

    Raises:
        BookError: The run did not come to its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "--nbval", *SIDE_BY_SIDE, *paths]
        command += ["-m", "not nightly or authors", "-k", words]
        command += ["--continue-on-collection-errors", f"--junit-xml={report}"]
        command += ["-o", "junit_family=xunit1"]  # which names the file of a test
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise BookError(
                "pytest must run the tests of the page to their end, and stopped with "
                f"the status {done.returncode}; it said: {done.stdout[-2000:].strip()}"
            )
        cases = ElementTree.parse(report).iter("testcase")
        return sorted(cases, key=lambda case: case.get("file"))


def _told(cases: list[ElementTree.Element]) -> Iterator[str]:
    """Yield what each failure says, and which test; of a notebook the first error."""
    raised = 0
    for case in cases:
        file = case.get("file")
        for fault in (*case.iter("failure"), *case.iter("error")):
            said = fault.get("message").removeprefix("AssertionError: ")
            first, *more = said.splitlines()
            if file.endswith(".ipynb"):  # which goes on with the source of the cell
                raised += _RAISED in first
                if raised < 2 or _RAISED not in first:
                    faults = [line for line in more if line.startswith("  and ")]
                    yield "\n".join([f"- {first}", *faults])
                continue
            if first.startswith("contains "):  # a subtest, which has said it
                continue
            if first == "collection failure":
                first = fault.text.strip().rpartition("\nE")[2].strip()
            elif not first.startswith("assert "):
                first = said.partition("\nassert ")[0]
            yield f"- {first} [{file}::{case.get('name')}]"
    if raised > 1:
        yield f"- {raised - 1} more cells raise an error, perhaps because of the first."
