"""A chapter runs in Colab: alone, without the book, with everybody's packages kept."""

import importlib.metadata
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from nbformat.v4 import new_output

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook, write_notebook
from bookkit.checking.colab.environment import (
    layered,
    lend,
    own_packages,
    publish,
    serve_repository,
    without,
)
from bookkit.checking.colab.session import BOOK, open_notebook
from bookkit.writing.run import RunError

ROOT = find_root(Path(__file__))
SITE = Path(sysconfig.get_paths()["purelib"])
READS_STORED_ROWS = """\
from chapters.ablations.changes import STUDY
print(len(STUDY.rows) > 100)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serve_repository(ROOT, tmp_path_factory.mktemp("host")) as (address, copy):
        yield address, copy


@pytest.fixture(autouse=True)
def local(monkeypatch):
    """Nobody asks a proxy for the address of this machine."""
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """All packages of this environment but the book; nothing is downloaded."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip reads it as: no isolation
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    packages = without(SITE, tmp_path / "packages", BOOK)
    return layered(tmp_path / "env", Path(sys.executable), packages)


@pytest.fixture
def chapter(served, code):
    """Write the cells of a chapter below the bootstrap of the served copy."""

    def write(*cells):
        notebook = read_notebook(served[1] / "book/beyond/ablations.ipynb")
        first = next(c for c in notebook.cells if c.cell_type == "code")
        notebook.cells = [first, *cells]
        for count, cell in enumerate(notebook.cells, start=1):
            cell.execution_count = count
        path = served[1] / "book/tiny.ipynb"
        write_notebook(path, notebook)
        return path

    return write


def printed(cell, text):
    cell.outputs = [new_output("stream", name="stdout", text=text)]
    return cell


def test_a_chapter_installs_the_book_reads_its_measurements_and_touches_nothing(
    chapter, code, environment, tmp_path
):
    path = chapter(printed(code(READS_STORED_ROWS), "True\n"))
    assert open_notebook(path, environment, tmp_path / "open") == []
    assert list((tmp_path / "open/content").iterdir()) == []


def test_another_text_than_the_stored_one_is_a_fault(
    chapter, code, environment, tmp_path
):
    path = chapter(printed(code("print('two words')"), "two worlds\n"))
    [difference] = open_notebook(path, environment, tmp_path / "open")
    assert "two worlds" in difference


def test_a_cell_that_fails_in_colab_is_named(chapter, code, environment, tmp_path):
    path = chapter(code("import sphinx_that_nobody_has"))
    with pytest.raises(RunError, match=r"tiny\.ipynb, cell 2 .*ModuleNotFoundError"):
        open_notebook(path, environment, tmp_path / "open")


def test_a_package_that_is_replaced_is_a_fault(chapter, code, environment, tmp_path):
    [info] = (tmp_path / "packages").glob("jaxtyping-*.dist-info")
    spoil = f"import pathlib; pathlib.Path({str(info)!r}).unlink(); print(1)"
    path = chapter(printed(code(spoil), "1\n"))
    found = open_notebook(path, environment, tmp_path / "open")
    assert found == ["the version of jaxtyping changed"]


def test_commits_of_the_copy_are_not_signed_whatever_is_set(tmp_path, monkeypatch):
    settings = tmp_path / "gitconfig"
    settings.write_text("[commit]\ngpgsign = true\n[gpg]\nprogram = false\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    (tmp_path / "work").mkdir()
    (tmp_path / "work/a").touch()
    publish(tmp_path / "work", tmp_path / "bare")
    assert (tmp_path / "bare/info/refs").read_text()


def test_every_notebook_of_the_copy_installs_from_the_local_address(served):
    address, copy = served
    for path in (copy / "book").rglob("*.ipynb"):
        text = path.read_text("utf-8")
        assert f'url = \\"{address}\\"' in text, path.name


def test_packages_of_this_interpreter_are_those_beside_pytorch():
    assert (own_packages() / "torch/__init__.py").is_file()


def test_an_interpreter_without_pytorch_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BookError, match="has no torch; run this in Colab's image"):
        own_packages()


def test_a_package_of_files_is_lent_to_an_environment(environment, tmp_path):
    lent = lend("katex_is_not_python", tmp_path / "nothing")
    assert list(lent.iterdir()) == []
    lent = lend("jaxtyping", tmp_path / "one")
    packages = tmp_path / "none"
    packages.mkdir()
    lender = layered(tmp_path / "lender", Path(sys.executable), packages, lent)
    source = """\
import importlib.metadata, importlib.util
print(importlib.util.find_spec('jaxtyping').origin)
print(importlib.metadata.version('jaxtyping'))"""
    run = subprocess.run([lender.python, "-c", source], capture_output=True, text=True)
    origin, version = run.stdout.splitlines()
    assert origin.startswith(str(lent))
    assert version == importlib.metadata.version("jaxtyping")
