"""The first code cell of every notebook: what makes it run wherever it is opened."""

from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from bookkit.book.address import repository_url
from bookkit.book.notebooks import REMOVE_CELL, tags

CELL_ID = "bootstrap"
PLACEHOLDER = "# bootstrap"
_SOURCE = """\
# Find the book's code; Colab and Kaggle install it, and keep their torch and numpy.
import os
import subprocess
import sys
from importlib import import_module, invalidate_caches
from importlib.metadata import version

url = "{url}"
try:
    for part in ("transformer.layers", "chapters.start"):
        import_module(part)
except ImportError as error:
    failed, todo = True, f"run `%pip install git+{{url}}` in a new cell, then this one"
    if "google.colab" in sys.modules or "KAGGLE_KERNEL_RUN_TYPE" in os.environ:
        kept = [f"{{name}}=={{version(name)}}" for name in ("torch", "numpy")]
        pip = [sys.executable, "-m", "pip", "install", "--quiet", *kept, f"git+{{url}}"]
        failed = subprocess.run(pip, capture_output=True).returncode != 0
        todo = f"see that {{url}} can be reached, restart the session and try again"
    if failed:
        raise RuntimeError(f"The book is missing ({{error}}): {{todo}}.") from None
    invalidate_caches()
"""


def bootstrap_source(repository_url: str) -> str:
    """Return the source of the first code cell, the same in every notebook.

    It does nothing where the book's packages can be imported, from a checkout or
    installed. Where they are missing, Colab and Kaggle install them from the
    repository, and torch and numpy are asked for as the builds already there, local
    version labels included, so that pip can never replace them. Anywhere else the
    reader decides what is installed: one sentence says what to run.
    """
    return _SOURCE.format(url=repository_url).rstrip("\n")


def put_bootstrap(notebook: NotebookNode, source: str) -> bool:
    """Put the bootstrap first among the code cells, in place; tell if that changed it.

    A notebook whose first code cell is no bootstrap, nor the line `# bootstrap` that
    stands for one, gets a new cell below its title.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    is_there = code and (
        code[0].id == CELL_ID
        or REMOVE_CELL in tags(code[0])
        or code[0].source == PLACEHOLDER
    )
    cell = code[0] if is_there else _new_cell(notebook)
    changed = cell.source != source or REMOVE_CELL not in tags(cell)
    cell.source = source
    if REMOVE_CELL not in tags(cell):
        cell.metadata["tags"] = [*tags(cell), REMOVE_CELL]
    return changed


def _new_cell(notebook: NotebookNode) -> NotebookNode:
    """Insert an empty code cell below the notebook's first cell."""
    cell = nbformat.v4.new_code_cell(id=CELL_ID)
    notebook.cells.insert(min(1, len(notebook.cells)), cell)
    return cell


def bootstrap_renewal(root: Path) -> Callable[[NotebookNode, str], list[str]]:
    """Return what puts the bootstrap into a notebook, for `renew_notebooks`."""
    source = bootstrap_source(repository_url(root))

    def renew(notebook: NotebookNode, name: str) -> list[str]:
        is_new = put_bootstrap(notebook, source)
        return [f"{name}, bootstrap cell was renewed"] if is_new else []

    return renew
