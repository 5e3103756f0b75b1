"""A chapter falls into sections, and those that begin with Deeper may be skipped."""

from nbformat.v4 import new_markdown_cell, new_notebook

from bookkit.book.cells import parts


def test_the_parts_name_the_headings_above_them():
    text = "a\n## Why $x$?\nb\n### So\nc\n## End\nd"
    notebook = new_notebook(cells=[new_markdown_cell(text)])
    found = [(part.section, part.subsection) for part in parts(notebook)]
    assert found == [("", ""), ("Why $x$?", ""), ("Why $x$?", "So"), ("End", "")]
