"""The first code cell of every notebook: what makes a chapter run in Colab."""

from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from bookkit.book.address import repository_url
from bookkit.book.notebooks import REMOVE_CELL, tags

CELL_ID = "bootstrap"
PLACEHOLDER = "# bootstrap"
_SOURCE = """\
# In Colab this installs the book's code and leaves torch and numpy as they are.
import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile

if "google.colab" in sys.modules and importlib.util.find_spec("chapters") is None:
    url = "{url}"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as pins:
        for name in ("torch", "numpy"):
            pins.write(f"{{name}}=={{importlib.metadata.version(name)}}\\n")
        pins.flush()
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "-c", pins.name]
        if subprocess.run([*pip, f"git+{{url}}"], capture_output=True).returncode:
            raise RuntimeError(
                f"The book's code could not be installed from {{url}}: check the "
                "network, choose Runtime > Restart session and run this cell again, "
                "or clone the repository and open the notebook there."
            )
    importlib.invalidate_caches()
"""


def bootstrap_source(repository_url: str) -> str:
    """Return the source of the first code cell, the same in every notebook.

    In Colab it installs the book's packages from the repository when they are
    missing, and pins torch and numpy to the builds already there, local version
    labels included, so that pip can never replace them. Elsewhere it does nothing.
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
