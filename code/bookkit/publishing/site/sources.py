"""Stop the build at a notebook that cannot be read, with its name and the fault.

Sphinx would stop at some of them with a traceback that names no file, and others it
would fix in silence and show.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from bookkit.book.errors import BookError
from bookkit.book.notebooks import read_notebook


def read_notebooks(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Read the notebooks that Sphinx is about to read: those that have changed.

    Raises:
        ExtensionError: One cannot be read.
    """
    try:
        for path in map(Path, map(env.doc2path, docnames)):
            if path.suffix == ".ipynb":
                read_notebook(path)
    except BookError as error:
        raise ExtensionError(str(error)) from None


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("env-before-read-docs", read_notebooks, priority=100)
