"""What turns the package `transformer` into a book: figures, checks, notebooks."""

import atexit
import os
import shutil
import tempfile


def _lend_matplotlib_a_folder() -> None:
    """Where no home can be written to, matplotlib would warn in a reader's cell."""
    home = os.path.expanduser("~")
    if "MPLCONFIGDIR" not in os.environ and not os.access(home, os.W_OK):
        folder = tempfile.mkdtemp(prefix="matplotlib-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["MPLCONFIGDIR"] = folder


_lend_matplotlib_a_folder()
