"""A cell that never ends, or ends its process, is stopped and named."""

import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.__main__ import main
from bookkit.book.files import find_root
from bookkit.book.notebooks import canonical_bytes
from bookkit.checking.facts import facts
from bookkit.checking.validate import PLAIN

ROOT = find_root(Path(__file__))
TOO_LONG = "must end within 1 seconds, and did not"
GONE = "ended its Python process"
STUBBORN = """\
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""
# name: (source, what `run` says)
CELLS = {
    "sleeps": ("import time\ntime.sleep(600)", TOO_LONG),
    "will not be interrupted": (STUBBORN, TOO_LONG),
    "is killed": ("import os\nos.kill(os.getpid(), 9)", GONE),
}
# name: what pytest says; each starts a kernel, so only the worst are here.
REPORTED = {
    "sleeps": "Timeout of 1 seconds exceeded",
    "is killed": "must leave its Python process running, and ended it",
}


def snapshot(root):
    """Note the time and the content of each file below a folder."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def notebook_of(source):
    one = new_output("execute_result", data={"text/plain": "1"}, execution_count=2)
    cells = [
        new_code_cell(source, id="hostile", execution_count=1),
        new_code_cell("1", id="after", execution_count=2, outputs=[one]),
    ]
    return canonical_bytes(new_notebook(cells=cells))


@facts("name", CELLS)
def test_run_stops_the_cell_and_changes_nothing(
    book, write_chapter, monkeypatch, capsys, name
):
    source, said = CELLS[name]
    write_chapter("# T").write_bytes(notebook_of(source))
    monkeypatch.chdir(book)
    before = snapshot(book)
    timeout = "1" if said == TOO_LONG else "600"  # more than any load makes of it
    assert main(["run", "--timeout", timeout, "book/part/chapter.ipynb"]) == 1
    message = capsys.readouterr().err
    place = "bookkit run: book/part/chapter.ipynb, cell 1 (code cell 1) "
    assert message.startswith(place + said)
    assert message.count("\n") == 1
    assert snapshot(book) == before


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return what pytest says about folders of hostile notebooks, and a good one.

    Cells that would never end have a second. The others may take as long as they need.
    """
    reports = []
    for patient in (False, True):
        folder = tmp_path_factory.mktemp("cells")
        for name, said in REPORTED.items():
            if patient != said.startswith("Timeout"):
                (folder / f"{name}.ipynb").write_bytes(notebook_of(CELLS[name][0]))
        if patient:
            (folder / "zz good.ipynb").write_bytes(notebook_of("x = 1"))
        reports.append(run_in(folder, seconds=600 if patient else 1))
    return reports


def run_in(folder, *, seconds):
    """Let pytest run the notebooks of a folder, which must stay as they are."""
    before = snapshot(folder)
    command = [sys.executable, "-m", "pytest", "--nbval", ".", "-rA"]
    command += ["-c", ROOT / "pyproject.toml", "--rootdir", folder]
    command += [*PLAIN, f"--nbval-cell-timeout={seconds}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert snapshot(folder) == before
    return done


@pytest.fixture(scope="module")
def text(report):
    return "".join(done.stdout for done in report)


@facts("name, said", REPORTED.items())
def test_pytest_names_the_cell(text, name, said):
    [line] = [
        line
        for line in text.splitlines()
        if line.startswith(f"{name}.ipynb, code cell 1") and line.count(".ipynb") == 1
    ]
    assert said in line
    assert f"FAILED {name}.ipynb::Cell 1" in text
    # What comes after it is never a plain success.
    assert f"PASSED {name}.ipynb::Cell 2" not in text
    assert f"{name}.ipynb::Cell 2" in text


def test_pytest_says_why_a_later_cell_cannot_run(text):
    assert (
        "\nis killed.ipynb, code cell 2 cannot run: an earlier cell ended the Python "
        "process.\n"
    ) in text


def test_pytest_goes_on_to_the_next_notebook(report):
    assert "PASSED zz good.ipynb::Cell 1" in report[1].stdout
    for done in report:
        assert done.returncode == pytest.ExitCode.TESTS_FAILED
        assert "INTERNALERROR" not in done.stdout
        assert "warning" not in done.stdout
