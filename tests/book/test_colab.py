"""What the chapters import is there in Colab: no authoring tool among it."""

import ast
from pathlib import Path

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths, read_notebook

ROOT = find_root(Path(__file__))
TOOLS = {
    "beartype",
    "bookkit",
    "hypothesis",
    "myst_parser",
    "nbclient",
    "nbformat",
    "nbval",
    "pytest",
    "sphinx",
    "transformers",
    "yaml",
}


def imported(path):
    """Yield the packages that the code cells of a notebook import."""
    sources = [c.source for c in read_notebook(path).cells if c.cell_type == "code"]
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_notebooks_import_none_of_the_authoring_tools():
    """What they import needs none either: see `tests/chapters/test_package.py`."""
    names = {name for path in notebook_paths(ROOT) for name in imported(path)}
    assert {"torch", "chapters", "transformer"} <= names
    assert names & TOOLS == set()
