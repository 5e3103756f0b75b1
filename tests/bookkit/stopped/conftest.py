"""A small book in which one chapter is good, and another is to be filled."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import good_notebook

CONTENTS = """\
format: jb-book
root: book/index
parts:
  - caption: Part
    numbered: 1
    chapters:
      - file: book/part/good
      - file: book/bad/chapter
"""


def make_book(folder):
    """Make the book; the value is where the other file goes."""
    root = folder / "book of mine"  # a name with spaces, as any folder may have
    (root / "book" / "part").mkdir(parents=True)
    (root / "book" / "bad").mkdir()
    (root / "_config.yml").write_text(
        "repository:\n  url: https://github.com/owner/name\n  branch: main\n"
    )
    (root / "tests" / "laws").mkdir(parents=True)
    (root / "tests" / "laws" / "test_good.py").write_text("def test_one():\n    pass\n")
    (root / "_toc.yml").write_text(CONTENTS)
    (root / "book" / "references.bib").write_text("")
    (root / "book" / "index.md").write_text("# A small book\n")
    (root / "book" / "part" / "good.ipynb").write_bytes(good_notebook.GOOD)
    return root / "book" / "bad" / "chapter.ipynb"


@pytest.fixture(scope="session")
def new_book():
    """Make the book in a folder, for each fact anew."""
    return make_book


@pytest.fixture
def book(tmp_path, monkeypatch):
    """The root of the book, which is the working directory."""
    root = make_book(tmp_path).parents[2]
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def chapter(book):
    """Where the other file goes."""
    return book / "book" / "bad" / "chapter.ipynb"
