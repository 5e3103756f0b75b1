"""What explorers read: measurements that a command made once."""

from pathlib import Path

from bookkit.experiments.measurements import Measurements
from bookkit.notebooks import NotebookError, find_root


def read_rows(measurements: Measurements) -> list[dict]:
    """Return the rows of a file of the book, wherever in the repository we are.

    Outside of it, as in Colab, the file is fetched from where the package came.
    """
    try:
        folder = (find_root() / measurements.path).parents[1]
    except NotebookError:
        folder = Path()
    return measurements.read(folder)
