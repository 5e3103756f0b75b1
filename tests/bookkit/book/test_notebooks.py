"""Notebooks have one canonical form on disk, and broken ones are named."""

import json
import os

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import (
    canonical_bytes,
    cell_name,
    chapters,
    contents,
    read_notebook,
    write_notebook,
)
from bookkit.checking.facts import facts


def test_the_root_is_found_from_any_folder_of_the_book(book):
    assert find_root(book / "book" / "part" / "chapter.ipynb") == book


def test_the_root_is_found_from_the_working_directory(book, monkeypatch):
    monkeypatch.chdir(book / "book")
    assert find_root() == book


def test_a_folder_outside_a_book_has_no_root(tmp_path):
    with pytest.raises(BookError, match=r"root holds _config\.yml.*run the comm"):
        find_root(tmp_path)


def test_contents_follow_the_reading_order(book):
    assert contents(book) == ["book/index", "book/part/chapter"]


def test_chapters_follow_the_reading_order_and_leave_out_pages(book, write_chapter):
    path = write_chapter("# Title")
    assert chapters(book) == [path]


def test_a_chapter_missing_from_the_contents_is_an_error(book, write_chapter):
    write_chapter("# Title").rename(book / "book" / "stray.ipynb")
    with pytest.raises(BookError, match=r"book/stray\.ipynb is missing; add it"):
        chapters(book)


def test_a_broken_table_of_contents_is_an_error_that_names_it(book):
    (book / "_toc.yml").write_text("chapters: [\n")
    with pytest.raises(BookError, match=r"_toc\.yml must be readable YAML"):
        contents(book)


def test_canonical_bytes_have_an_indent_of_one_and_one_newline_at_the_end():
    notebook = new_notebook(cells=[new_markdown_cell("é\n字", id="a")])
    text = canonical_bytes(notebook).decode("utf-8")
    assert text.startswith('{\n "cells": [\n  {\n   "cell_type": "markdown"')
    assert '"é\\n"' in text
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")


def test_reading_and_writing_changes_no_byte(write_chapter):
    path = write_chapter("# Title\n\nText.")
    before = path.read_bytes()
    assert write_notebook(path, read_notebook(path)) is False
    assert path.read_bytes() == before


def test_key_order_and_indent_of_the_file_do_not_matter(write_chapter):
    path = write_chapter("# Title")
    before = path.read_bytes()
    document = json.loads(before)
    path.write_text(json.dumps(dict(reversed(document.items())), indent=4))
    assert write_notebook(path, read_notebook(path)) is True
    assert path.read_bytes() == before


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


def test_a_missing_notebook_is_an_error_that_names_the_file(book):
    with pytest.raises(BookError, match=r"none\.ipynb must be a readable file"):
        read_notebook(book / "book" / "none.ipynb")


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


def test_writing_keeps_the_permissions_of_the_file(write_chapter):
    path = write_chapter("# Title")
    path.chmod(0o640)
    notebook = read_notebook(path)
    notebook.cells[0].source = "# Other"
    write_notebook(path, notebook)
    assert path.stat().st_mode & 0o777 == 0o640


def test_cells_are_named_by_both_of_their_numbers(code):
    cells = [new_markdown_cell("# T"), code("1"), new_markdown_cell("t"), code("2")]
    notebook = new_notebook(cells=cells)
    assert cell_name(notebook, 2) == "cell 3"
    assert cell_name(notebook, 3) == "cell 4 (code cell 2)"
