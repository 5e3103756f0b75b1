"""The build stops at a notebook that cannot be read, and says which and why."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths
from bookkit.checking.facts import facts
from bookkit.publishing.site import pages as site_pages

ROOT = find_root(Path(__file__))


def read(root, *pages):
    env = SimpleNamespace(doc2path=lambda page: str(root / f"{page}.ipynb"))
    site_pages.read_notebooks(None, env, pages)


def test_the_notebooks_of_the_book_can_be_read():
    read(ROOT, *(str(path.with_suffix("")) for path in notebook_paths(ROOT)))


@facts(
    "text, said",
    [
        ("", "must be a notebook in JSON, and is not"),
        ("[]", "must be a notebook with a list of cells"),
        ('{"cells": [], "nbformat": 3, "nbformat_minor": 0}', "and has 3.0"),
    ],
)
def test_a_broken_notebook_stops_the_build_with_its_name(tmp_path, text, said):
    (tmp_path / "book").mkdir(exist_ok=True)
    (tmp_path / "_config.yml").write_text("title: A\n")
    (tmp_path / "book/a.ipynb").write_text(text)
    with pytest.raises(ExtensionError) as caught:
        read(tmp_path, "book/a")
    assert str(caught.value).startswith("book/a.ipynb ")
    assert said in str(caught.value)
