"""Run the notebooks in one environment and say what came of it."""

import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bookkit.book.files import relative_name
from bookkit.book.notebooks import canonical_bytes, read_notebook
from bookkit.checking.canary.watched import validate_watched
from bookkit.checking.colab.repository import copy_book
from bookkit.checking.compare import Differences, join_streams, kind_of
from bookkit.checking.compare.conditions import ignores_output
from bookkit.checking.compare.record import NotebookRecord, sum_of
from bookkit.checking.determinism.environments import Environment
from bookkit.checking.validate import SIDE_BY_SIDE

SEED = 1
START = "import torch\n\nfrom chapters.start import start_chapter\n\nstart_chapter()"
BUILD, PROBE = "_build", "probe.ipynb"


@dataclass(frozen=True)
class Round:
    """What came of the notebooks in one environment.

    Args:
        name: The name of the environment.
        words: What was changed.
        notebooks: How many were run.
        cells: How many cells they have.
        outputs: How many outputs were compared.
        faults: What was wrong, sentence by sentence.
        differences: The largest that were met.
    """

    name: str
    words: str
    notebooks: int
    cells: int
    outputs: int
    faults: list[str]
    differences: Differences


def _summed(
    name: str, words: str, records: Iterable[NotebookRecord], faults: list[str]
) -> Round:
    """Add up the records of a round."""
    records = list(records)
    total = sum_of(records)
    return Round(
        name=name,
        words=words,
        notebooks=len(records),
        cells=total.counts["cells"],
        outputs=total.outputs,
        faults=faults,
        differences=total.differences,
    )


def validate_in(
    name: str, environment: Environment, root: Path, notebooks: Sequence[Path]
) -> Round:
    """Validate notebooks in an environment, with the canary among them.

    A notebook of two cells is run with them and sees that the environment is in effect.
    """
    build = root / BUILD
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as made:
        folder = Path(made)
        probe = folder / PROBE
        probe.write_bytes(canonical_bytes(probing(environment)))
        order = [probe, *notebooks]
        if environment.shuffled:
            random.Random(SEED).shuffle(order)
        options = () if environment.shuffled else SIDE_BY_SIDE
        variables = environment.applied(folder / "ipython")
        done = validate_watched(root, order, *options, variables=variables)
    records = {k: v for k, v in done.records.items() if not k.endswith(PROBE)}
    return _summed(name, environment.words, records.values(), done.faults)


def probing(environment: Environment) -> NotebookNode:
    """Make a notebook that holds true in an environment."""
    truth = [new_output("stream", name="stdout", text="True\n")]
    sources = ((START, []), (environment.probe, truth))
    return new_notebook(
        cells=[
            new_code_cell(source, id=f"probe-{n}", execution_count=n, outputs=outputs)
            for n, (source, outputs) in enumerate(sources, start=1)
        ]
    )


RERUN = "rerun"
RERUN_WORDS = "run anew and stored, byte for byte"


def run_anew(root: Path, notebooks: Sequence[Path]) -> Round:
    """Run a copy of the notebooks as ``make run`` does; no byte may change."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_book(root, Path(folder, "book"))
        names = [relative_name(path, root) for path in notebooks]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = pool.map(lambda name: _run_copy(copy, name), names)
            faults = [fault for fault in said if fault]
        faults += [
            f"{name}: its bytes changed"
            for name in names
            if (copy / name).read_bytes() != (root / name).read_bytes()
        ]
    return _summed(RERUN, RERUN_WORDS, map(_counted, notebooks), faults)


def _run_copy(copy: Path, name: str) -> str:
    """Run one notebook of a copy, and return what is wrong, if anything is."""
    command = [sys.executable, "-m", "bookkit", "run", name]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    return f"{name}: {done.stderr.strip()}" if done.returncode else ""


def _counted(path: Path) -> NotebookRecord:
    """Count the cells and outputs of a notebook."""
    counts: Counter[str] = Counter()
    for cell in read_notebook(path).cells:
        if cell.cell_type == "code":
            counts["cells"] += 1
            if not ignores_output(cell):
                counts.update(map(kind_of, join_streams(cell.outputs)))
    return NotebookRecord(counts=counts)
