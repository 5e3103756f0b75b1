"""A small book to try the authoring tools on."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.book.files import find_root
from bookkit.book.notebooks import write_notebook
from bookkit.publishing.appendix.templates import templates

ROOT = find_root(Path(__file__))

CONFIG = """\
title: A small book
repository:
  url: "https://github.com/owner/old-book"  # the one place
"""
CONTENTS = """\
format: jb-book
root: book/index
parts:
  - caption: Part
    chapters:
      - file: book/part/chapter
"""


@pytest.fixture(scope="session")
def new_book():
    """Make a small book without chapters in an empty folder, for each fact anew."""

    def make(root):
        (root / "book" / "part").mkdir(parents=True)
        (root / "_config.yml").write_text(CONFIG)
        (root / "_toc.yml").write_text(CONTENTS)
        (root / "book" / "index.md").write_text("# A small book\n")
        return root

    return make


@pytest.fixture
def book(tmp_path, new_book):
    """The root of a small book without chapters."""
    return new_book(tmp_path)


@pytest.fixture
def checked_book(book):
    """The same, with what a run of its notebooks needs, and the canary."""
    shutil.copy(ROOT / "pyproject.toml", book)
    shutil.copytree(ROOT / "tests" / "canary", book / "tests" / "canary")
    return book


@pytest.fixture
def numbered_book(book):
    """The same, with a part whose pages have numbers."""
    caption = "  - caption: Part\n"
    contents = CONTENTS.replace(caption, f"{caption}    numbered: 1\n")
    (book / "_toc.yml").write_text(contents)
    return book


@pytest.fixture
def write_chapter(book):
    """Write cells as the book's chapter: text is markdown, nodes are kept."""

    def write(*cells):
        nodes = [
            new_markdown_cell(cell, id=f"text-{number}")
            if isinstance(cell, str)
            else cell
            for number, cell in enumerate(cells)
        ]
        path = book / "book" / "part" / "chapter.ipynb"
        write_notebook(path, new_notebook(cells=nodes))
        return path

    return write


@pytest.fixture
def section():
    """Fill one part of the page that says how the book is checked."""
    page = templates(ROOT).get_template("book/appendix/how_it_is_checked.md.jinja")

    def write(name, facts):
        return "".join(page.blocks[name](page.new_context({name: facts}))).strip()

    return write


@pytest.fixture
def code():
    """Make a code cell; its id is made from its source."""

    def make(source, **metadata):
        identity = f"code-{abs(hash(source)) % 10**12}"
        return new_code_cell(source, id=identity, metadata=metadata)

    return make


@pytest.fixture
def saved():
    """Read a notebook without any of the book's own tools."""
    return lambda path: nbformat.read(path, as_version=4)
