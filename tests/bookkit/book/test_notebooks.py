"""Notebooks have one canonical form on disk, and broken ones are named."""

import json
import os

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import (
    chapters,
    contents,
    read_notebook,
    write_notebook,
)
from bookkit.checking.facts import facts


def test_a_folder_outside_a_book_has_no_root(tmp_path):
    with pytest.raises(BookError, match=r"root holds _config\.yml.*run the comm"):
        find_root(tmp_path)


def test_contents_follow_the_reading_order(book):
    assert contents(book) == ["book/index", "book/part/chapter"]


def test_a_chapter_missing_from_the_contents_is_an_error(book, write_chapter):
    write_chapter("# Title").rename(book / "book" / "stray.ipynb")
    with pytest.raises(BookError, match=r"book/stray\.ipynb is missing; add it"):
        chapters(book)


def _without_ids(document):
    for cell in document["cells"]:
        del cell["id"]


def _with_one_id(document):
    document["cells"] *= 2


@facts(
    "change, message",
    [
        (lambda document: document.update(nbformat_minor=4), "has 4.4; save it again"),
        (lambda document: document.pop("cells"), "must be a notebook with a list"),
        (lambda document: document.pop("metadata"), "is no valid notebook: 'metadata'"),
        (_without_ids, "is no valid notebook"),
        (_with_one_id, "must have unique cell ids, and repeats text-0"),
    ],
)
def test_an_invalid_notebook_is_an_error_that_names_it(write_chapter, change, message):
    path = write_chapter("# Title")
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(BookError, match=r"^book/part/chapter\.ipynb ") as caught:
        read_notebook(path)
    assert message in str(caught.value)


def test_broken_json_is_an_error_that_names_the_file(write_chapter):
    path = write_chapter("# Title")
    path.write_text(path.read_text()[:-3])
    with pytest.raises(BookError, match=r"chapter\.ipynb must be a notebook in JS"):
        read_notebook(path)


def test_an_invalid_notebook_is_not_written(write_chapter):
    path = write_chapter("# Title")
    before = path.read_bytes()
    notebook = read_notebook(path)
    notebook.cells *= 2
    with pytest.raises(BookError, match="unique cell ids"):
        write_notebook(path, notebook)
    assert path.read_bytes() == before


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    write_chapter, monkeypatch
):
    path = write_chapter("# Title")
    before = path.read_bytes()
    notebook = read_notebook(path)
    notebook.cells[0].source = "# Other"

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(BookError, match=r"chapter\.ipynb is not \(disk full\)"):
        write_notebook(path, notebook)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
