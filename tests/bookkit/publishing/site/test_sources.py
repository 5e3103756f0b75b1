"""The build stops at a notebook that cannot be read, and says which and why."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths
from bookkit.checking.facts import facts
from bookkit.publishing.site import sources as site_sources

sys.path.insert(0, str(Path(__file__).parents[2] / "hostile"))

import hostile_files

ROOT = find_root(Path(__file__))


def read(root, *pages):
    env = SimpleNamespace(doc2path=lambda page: str(root / f"{page}.ipynb"))
    site_sources.read_notebooks(None, env, pages)


def test_the_notebooks_of_the_book_can_be_read():
    read(ROOT, *(str(path.with_suffix("")) for path in notebook_paths(ROOT)))


@facts("name", hostile_files.BYTES)
def test_a_hostile_notebook_stops_the_build_with_its_name(tmp_path, name):
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("title: A\n")
    hostile_files.put(tmp_path / "book" / "a.ipynb", name)
    with pytest.raises(ExtensionError) as caught:
        read(tmp_path, "book/a")
    assert str(caught.value).startswith("book/a.ipynb ")
    assert hostile_files.BYTES[name][1] in str(caught.value)
