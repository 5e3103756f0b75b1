"""What the chapters import is there in Colab: no authoring tool among it."""

import ast
import subprocess
import sys
from pathlib import Path

from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths, read_notebook

ROOT = find_root(Path(__file__))
TOOLS = (
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
)


def imports(path):
    """List the import statements of a notebook's code cells."""
    sources = [c.source for c in read_notebook(path).cells if c.cell_type == "code"]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    kinds = ast.Import | ast.ImportFrom
    return [ast.unparse(node) for node in nodes if isinstance(node, kinds)]


def run_without_tools(statements):
    """Run statements in a Python that has none of the authoring tools."""
    blocked = f"import sys\nfor tool in {TOOLS!r}: sys.modules[tool] = None\n"
    command = [sys.executable, "-c", blocked + "\n".join(statements)]
    return subprocess.run(command, capture_output=True, text=True)


def test_chapters_import_without_the_authoring_tools():
    statements = [line for path in notebook_paths(ROOT) for line in imports(path)]
    assert "import torch" in statements
    run = run_without_tools(dict.fromkeys(statements))
    assert (run.returncode, run.stderr) == (0, "")


def test_an_authoring_tool_would_be_caught():
    run = run_without_tools(["import bookkit.book.notebooks"])
    assert "ModuleNotFoundError" in run.stderr
