"""What the notebooks import: a folder for each chapter, and what chapters share."""

import atexit
import os
import shutil
import tempfile


def _lend_matplotlib_a_folder() -> None:
    """Where no home can be written to, matplotlib would warn in a reader's cell.

    It does so when it is imported, which figures do before a chapter starts.
    """
    home = os.path.expanduser("~")
    if "MPLCONFIGDIR" not in os.environ and not os.access(home, os.W_OK):
        folder = tempfile.mkdtemp(prefix="matplotlib-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["MPLCONFIGDIR"] = folder


_lend_matplotlib_a_folder()
