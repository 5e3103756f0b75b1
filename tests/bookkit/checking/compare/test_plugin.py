import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.checking.compare import plugin
from bookkit.checking.compare.record import read_records
from bookkit.checking.facts import facts
from bookkit.checking.validate import PLAIN

ROOT = next(p for p in Path(__file__).parents if (p / "pyproject.toml").exists())


def printed(text):
    return [new_output("stream", name="stdout", text=text)]


def result(**data):
    return [new_output("execute_result", data=data)]


def figure(x):
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" id="figure_1"><rect x="{x}"/></svg>'
    return [new_output("display_data", data={"image/svg+xml": svg})]


def picture(data):
    return [new_output("display_data", data={"image/png": data})]


def error(message):
    return [new_output("error", ename="ValueError", evalue=message, traceback=[])]


SHOW = """from IPython.display import display, clear_output
def show(mime, data):
    display({mime: data}, raw=True)"""
SHOW_SVG = f"show('image/svg+xml', {figure(1.0)[0].data['image/svg+xml']!r})"
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAA"
    "AABJRU5ErkJggg=="
)
RAISE = "raise ValueError('x must be 1, got 2')"
TIMED = "import time\nseconds = time.perf_counter()\nseconds"
LATER = "import threading\nthreading.Timer(0.2, print, ('late',)).start()"
HEAD = ["notebook", "outputs", "decimals", "absolute", "units", "points", "levels"]
IGNORE, RAISES = {"tags": ["nbval-ignore-output"]}, {"tags": ["raises-exception"]}

# name: (source, stored outputs, metadata, what the report must say; None: it passes)
CELLS = {
    "no output": (SHOW, [], {}, None),
    "last digit": ("print('loss 0.1234')", printed("loss 0.1235\n"), {}, None),
    "digit": (
        "print('loss 0.1234')",
        printed("loss 0.1334\n"),
        {},
        'stored "0.1334"',
    ),
    "integer": ("print(64)", printed("65\n"), {}, 'stored "65", computed "64"'),
    "missing": ("x = 1", printed("a\n"), {}, "1 outputs are stored and 0 computed"),
    "last semicolon": ("1 + 1;", [], {}, "0 outputs are stored and 1 computed"),
    "order": (
        "print('a')\nshow('text/html', 'b')\nprint('c')",
        [*printed("a\nc\n"), new_output("display_data", data={"text/html": "b"})],
        {},
        "2 outputs are stored and 3 computed",
    ),
    "result": ("1 + 1", result(**{"text/plain": "2"}), {}, None),
    "figure trembles": (SHOW_SVG, figure(1.05), {}, None),
    "figure": (SHOW_SVG, figure(3), {}, 'at figure_1/rect: x stored as "3"'),
    "picture": (f"show('image/png', {PNG!r})", picture(PNG), {}, None),
    "error": (RAISE, error("x must be 1, got 2"), RAISES, None),
    "error text": (
        RAISE,
        error("x must be 1, got 3"),
        RAISES,
        'stored "3", computed "2"',
    ),
    "no error": ("x = 1", error("x must be 1, got 2"), RAISES, "1 outputs are stored"),
    "exception": ("1 / 0", [], {}, "ZeroDivisionError: division by zero"),
    "clearing": ("clear_output()", [], {}, "show the final state only"),
    "printing later": (LATER, [], {}, None),
    "late print": ("import time; time.sleep(0.5)", [], {}, 'computed stdout "late"'),
    "ignored": (f"{TIMED}\nassert seconds > 0", [], IGNORE, None),
    "ignored and failing": ("assert not seconds", [], IGNORE, "AssertionError"),
    "skipped": ("1", [], {"tags": ["nbval-skip", "skip-execution"]}, "1 computed"),
    "comment": ("# NBVAL_SKIP\n1", [], {}, "0 outputs are stored and 1 computed"),
    "ignored by a comment": ("# NBVAL_IGNORE_OUTPUT\n1", [], {}, "1 computed"),
    "never executed": ("x = 1", [], {"count": None}, "the cell was never executed"),
}


def notebook(cells):
    """Make a notebook of (source, outputs, metadata) with the counts 1 to n."""
    made = []
    for position, (source, outputs, metadata, *_) in enumerate(cells, start=1):
        rest = {key: value for key, value in metadata.items() if key != "count"}
        count = metadata.get("count", position)
        made.append(
            new_code_cell(source, execution_count=count, outputs=outputs, metadata=rest)
        )
    return new_notebook(cells=made)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs pytest in a new folder with one notebook."""

    def run(cells, *options):
        folder = tmp_path_factory.mktemp("book")
        nbformat.write(notebook(cells), folder / "canary.ipynb")
        command = [sys.executable, "-m", "pytest", "canary.ipynb", "-rA"]
        command += ["-c", ROOT / "pyproject.toml", "--rootdir", folder]
        command += [*PLAIN, *options]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    return run


@pytest.fixture(scope="module")
def report(run):
    """Return what pytest says about a notebook with every kind of cell."""
    return run(CELLS.values(), "--nbval")


@pytest.fixture(scope="module")
def sections(report):
    """Return the part of the report on each failed cell, by its position."""
    parts = re.split(r"(?m)^_+ canary\.ipynb, code cell (\d+) _+$", report.stdout)
    return dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))


@facts(
    "position, sentence",
    [(i, cell[3]) for i, cell in enumerate(CELLS.values(), start=1)],
    ids=[*CELLS],
)
def test_a_cell_passes_or_fails_with_its_reason(report, sections, position, sentence):
    outcome = "PASSED" if sentence is None else "FAILED"
    pattern = rf"(?m)^{outcome} canary\.ipynb::Cell {position}\b"
    assert re.search(pattern, report.stdout)
    assert (position in sections) == (sentence is not None)
    assert sentence is None or sentence in sections[position]


def test_the_report_names_notebook_cell_difference_and_remedy(sections):
    position = list(CELLS).index("integer") + 1
    assert sections[position].startswith(
        f"\ncanary.ipynb, code cell {position}: "
        'output 1 (stdout): line 1: stored "65", computed "64", in "65" against "64"\n'
        "    print(64)\n"
        "If the change is meant: make run NOTEBOOK=canary.ipynb\n"
    )


def test_an_exception_is_reported_without_advice_to_store_it(sections):
    position = list(CELLS).index("exception") + 1
    section = sections[position]
    assert f"code cell {position}: Cell execution caused an exception. Zero" in section
    assert "make run" not in section
    assert "\x1b[" not in section


def test_a_failing_notebook_fails_the_run(report):
    assert report.returncode == pytest.ExitCode.TESTS_FAILED
    assert "warning" not in report.stdout


def test_the_run_ends_with_a_count_of_what_was_compared(report):
    assert re.search(
        r"(?m)^notebook outputs compared: \d+ text, 2 SVG, 1 PNG; ignored: 1$",
        report.stdout,
    )


def test_a_notebook_as_stored_is_green(run):
    done = run([CELLS["result"], CELLS["last digit"]], "--nbval")
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    assert (
        "\nnotebook outputs compared: 2 text, 0 SVG, 0 PNG; ignored: 0\n" in done.stdout
    )


def test_a_run_that_compared_nothing_is_red(run):
    done = run([CELLS["no output"], CELLS["ignored"]], "--nbval")
    assert "2 passed" in done.stdout
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "2 notebook cells ran and no output was compared" in done.stdout


def test_figures_are_left_out_where_only_texts_count(run):
    cells = [CELLS[name] for name in ("no output", "figure", "last digit", "integer")]
    done = run(cells, "--nbval", "--texts-only")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert re.findall(r"FAILED canary.ipynb::Cell (\d)", done.stdout) == ["4"]
    assert "compared: 2 text, 0 SVG, 0 PNG; ignored: 0\n" in done.stdout


def test_what_was_found_is_recorded_and_shown_when_asked_for(run, report, tmp_path):
    file = tmp_path / "record.json"
    names = ("last digit", "digit", "no output", "figure", "integer", "ignored")
    options = ["--differences", "--record-notebooks", file, "--numprocesses=2"]
    done = run(map(CELLS.get, names), "--nbval", *options, "--dist=loadfile")
    [(name, record)] = read_records(file).items()
    assert name == "canary.ipynb"
    assert list(record.cells) == [f"Cell {number}" for number in range(1, 7)]
    assert list(record.faults) == ["Cell 2", "Cell 4", "Cell 5"]
    assert 'stored "65", computed "64"' in record.faults["Cell 5"]
    assert record.counts == {"cells": 6, "text": 3, "SVG": 1, "ignored": 1}
    assert record.outputs == 4
    assert record.differences.decimals == 2
    lines = done.stdout.splitlines()
    start = next(i for i, x in enumerate(lines) if x.split() == HEAD)
    numbers = ["4", "2", "0.01", "100", "2", "0"]
    assert lines[start + 1].split() == ["canary.ipynb", *numbers]
    assert lines[start + 2].split() == ["all", *numbers]
    assert lines[start + 3].startswith("Largest differences between stored and")
    assert "Largest differences" not in report.stdout


def test_lax_comparison_is_refused():
    lax = SimpleNamespace(getoption=lambda name, default: name == "nbval_lax")
    with pytest.raises(pytest.UsageError, match=r"use --nbval$"):
        plugin.pytest_configure(lax)


def test_without_the_option_no_notebook_is_run(run):
    done = run([CELLS["exception"]])
    assert "no tests ran" in done.stdout
    assert "notebook outputs compared" not in done.stdout


def test_the_plugin_loads_no_code_that_a_test_run_must_watch():
    # Shapes are checked only in modules imported after pytest has started.
    code = "import bookkit.checking.compare.plugin, sys; "
    code += "sys.exit('transformer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_missing_nbval_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(pytest.UsageError, match=r"nbval must be installed.*make test"):
        plugin.pytest_addoption(pytest.Parser(_ispytest=True))
