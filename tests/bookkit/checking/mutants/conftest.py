"""A small book with a package, its test, a chapter and two bugs."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.book.notebooks import write_notebook
from bookkit.writing.bootstrap import bootstrap_source, put_bootstrap

MASKS = """\
def is_visible(query, key):
    return key <= query


def describe(visible):
    return "seen" if visible else "hidden"
"""
TEST = """\
import time

import pytest
from transformer.masks import is_visible


@pytest.mark.parametrize("place", [0, 1])
def test_a_position_sees_itself(place):
    time.sleep(0.02)
    assert is_visible(place, place)


def test_nobody_sees_the_future():
    assert not is_visible(1, 2)
"""
INDEX = """\
[hides_itself]
wrong = "No position sees itself."
chapters = ["book/part/chapter.ipynb"]
tests = ["tests/test_masks.py"]

[words_swapped]
wrong = "What is seen is called hidden."
chapters = ["book/part/chapter.ipynb"]
tests = ["tests/test_masks.py"]
"""
PROJECT = """\
[tool.pytest.ini_options]
addopts = ["-p", "bookkit.checking.compare.plugin", "--nbval-current-env"]
"""
BUGS = {
    "hides_itself": ("key <= query", "key < query"),
    "words_swapped": ('"seen" if', '"seen" if not'),
}


def diff(old, new):
    """Write a unified diff of the package, as git does."""
    return "".join(
        (
            "--- a/code/transformer/masks.py\n",
            "+++ b/code/transformer/masks.py\n",
            f"@@ -1,6 +1,6 @@\n{_changed(old, new)}",
        )
    )


def _changed(old, new):
    lines = MASKS.splitlines()
    return "".join(
        f"-{line}\n+{line.replace(old, new)}\n" if old in line else f" {line}\n"
        for line in lines
    )


@pytest.fixture
def write():
    """Write a file and the folders above it."""

    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def planted(book, write):
    """The small book, with its bugs."""
    write(book / "pyproject.toml", PROJECT)
    write(book / "code/transformer/__init__.py", "")
    write(book / "code/transformer/masks.py", MASKS)
    # By these the first cell of a chapter knows the book.
    write(book / "code/transformer/layers.py", "")
    write(book / "code/chapters/start.py", "")
    write(book / "tests/test_masks.py", TEST)
    write(book / "tests/mutants/patches.toml", INDEX)
    for name, (old, new) in BUGS.items():
        write(book / f"tests/mutants/patches/{name}.patch", diff(old, new))
    write_chapter(book / "book/part/chapter.ipynb")
    return book


def write_chapter(path):
    """Write a chapter that was run: its first cell is that of each chapter."""
    printed = new_output("stream", name="stdout", text="seen\n")
    source = "from transformer.masks import describe\n\nprint(describe(True))"
    cell = new_code_cell(source, id="words", outputs=[printed])
    title = new_markdown_cell("# A chapter", id="title")
    notebook = new_notebook(cells=[title, cell])
    put_bootstrap(notebook, bootstrap_source("https://github.com/owner/old-book"))
    for count, cell in enumerate(notebook.cells[1:], start=1):
        cell.execution_count = count
    write_notebook(path, notebook)
