"""Stop the build at a notebook that cannot be read, with its name and the fault.

Sphinx would stop at some of them with a traceback that names no file, and others it
would fix in silence and show.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import notebook_paths, read_notebook


def read_notebooks(app: Sphinx, config: Config) -> None:
    """Read every notebook of the book, unless one page is built alone.

    Raises:
        ExtensionError: One cannot be read.
    """
    if config.book_alone:
        return
    try:
        for path in notebook_paths(find_root(Path(app.confdir))):
            read_notebook(path)
    except BookError as error:
        raise ExtensionError(str(error)) from None


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    app.connect("config-inited", read_notebooks, priority=100)
