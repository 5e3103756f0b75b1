"""A change reaches the tests and notebooks that rest on it, or all of them."""

from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.book.notebooks import parse_notebook
from bookkit.checking.facts import facts
from bookkit.publishing.maps import affected
from bookkit.publishing.maps import reached as module
from bookkit.publishing.maps.reached import reached

ROOT = find_root(Path(__file__))
NOTEBOOK = "book/position/rotary.ipynb"
MODULE = "code/transformer/layers/rotary.py"


@pytest.fixture
def change(monkeypatch):
    """Say what the change of some files of the real book reaches."""

    def say(*files, before=""):
        def answer(_, command, *rest):
            if command == "show":
                return "" if rest[-1].endswith(".py") else before
            said = {"diff": "\n".join(files), "merge-base": "a1b2", "ls-files": ""}
            return said[command]

        for one in (module, affected):
            monkeypatch.setattr(one, "ask_git", answer)
        return reached(ROOT, "HEAD")

    return say


def test_without_a_change_nothing_runs(change):
    found = change()
    assert (found.tests, found.notebooks) == ((), ())


@facts(
    "file",
    [
        "pyproject.toml",
        "Makefile",
        "tests/conftest.py",
        "tests/zoo/conftest.py",
        "code/chapters/laboratory/positions.json",
        "code/chapters/shared/plane.js",
        "book/_static/book.css",
        "code/bookkit/checking/compare/text.py",
        "code/transformer/gone.py",
    ],
)
def test_what_nobody_can_trace_reaches_everything(change, file):
    found = change("README.md", file)
    assert found.tests == ("tests",)
    assert found.notebooks == ("book",)
    assert any(line.startswith(file) or "all tests" in line for line in found.why)


@facts(
    "file, test, other",
    [
        ("layers/rotary.py", "layers/test_rotary.py", "data/test_numerals.py"),
        ("layers/norms.py", "models/test_invariants.py", "data/test_archives.py"),
        ("data/download.py", "data/test_download.py", "layers/test_norms.py"),
        ("commands/write.py", "commands/test_write.py", "layers/test_norms.py"),
        ("files.py", "training/test_checkpoints.py", "layers/test_norms.py"),
    ],
)
def test_a_module_reaches_the_tests_of_what_imports_it_and_no_others(
    change, file, test, other
):
    found = change(f"code/transformer/{file}")
    assert f"tests/{test}" in found.tests
    assert f"tests/{other}" not in found.tests
    assert "tests/book/test_notebook_rules.py" in found.tests  # which reads the code


def test_a_module_reaches_the_notebooks_that_compute_with_it(change):
    found = change("code/transformer/costs/operations.py")
    assert "book/beyond/cost_and_scale.ipynb" in found.notebooks
    assert NOTEBOOK not in found.notebooks


def test_a_file_of_tests_reaches_itself(change):
    assert "tests/data/test_numerals.py" in change("tests/data/test_numerals.py").tests


def test_the_tests_of_built_pages_reach_nothing_else(change):
    found = change("tests/site/test_phone.py")
    assert not found.notebooks
    assert not any(
        name.startswith(("tests/site", "tests/layers")) for name in found.tests
    )


def test_words_of_a_chapter_are_read_and_its_code_is_not_run(change):
    text = (ROOT / NOTEBOOK).read_text(encoding="utf-8")
    found = change(NOTEBOOK, before=text)
    assert not found.notebooks
    assert "tests/book/test_notebook_rules.py" in found.tests
    assert "tests/test_imports.py" not in found.tests  # which reads the code
    assert "tests/layers/test_rotary.py" not in found.tests
    assert "tests/test_imports.py" in change(NOTEBOOK, MODULE, before=text).tests


def test_another_cell_or_output_runs_the_notebook(change):
    text = (ROOT / NOTEBOOK).read_text(encoding="utf-8")
    notebook = parse_notebook(text, NOTEBOOK)
    cell = next(c for c in notebook.cells if c.cell_type == "code")
    before = text.replace(cell.source.splitlines()[0], "pass", 1)
    assert change(NOTEBOOK, before=before).notebooks == (NOTEBOOK,)
    assert change(NOTEBOOK, before="").notebooks == (NOTEBOOK,)  # a new one
