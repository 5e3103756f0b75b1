"""Validate notebooks with the canary among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import relative_name
from bookkit.book.notebooks import read_notebook
from bookkit.checking.canary.modes import faults_in
from bookkit.checking.canary.plants import NOTEBOOK, code_cells, reasons
from bookkit.checking.canary.verdict import breaches_of
from bookkit.checking.compare.record import NotebookRecord
from bookkit.checking.validate import validate


@dataclass(frozen=True)
class Watched:
    """What came of notebooks that were run together with the canary.

    Args:
        records: What was found in each, by its path from the root.
        faults: What is wrong with them, and with how the canary was seen.
    """

    records: dict[str, NotebookRecord]
    faults: list[str]


def validate_watched(
    root: Path,
    notebooks: Sequence[Path],
    *options: str,
    variables: Mapping[str, str] | None = None,
) -> Watched:
    """Run notebooks and the canary, and compare each output with the stored one.

    Args:
        root: The book's root.
        notebooks: Which, in this order; the canary is the last.
        *options: More options of pytest.
        variables: All environment variables; those of this process when omitted.

    Raises:
        BookError: The run did not come to its end, or left out cells of the canary.
    """
    canary = root / NOTEBOOK
    done = validate(root, [*notebooks, canary], *options, variables=variables)
    found, cells = faults_in(done, root), code_cells(read_notebook(canary))
    records = {k: record for k, record in done.records.items() if k != NOTEBOOK}
    faults = [
        f"{name}, {cell}: {fault}"
        for name, record in records.items()
        for cell, fault in record.faults.items()
    ]
    faults += [f"canary, {said}" for said in breaches_of(found, reasons(), cells)]
    faults += _left_out(root, notebooks, records)
    return Watched(records, faults)


def _left_out(
    root: Path, notebooks: Sequence[Path], records: Mapping[str, NotebookRecord]
) -> list[str]:
    """Name the notebooks of which not every cell was run."""
    faults = []
    for path in notebooks:
        name = relative_name(path, root)
        ran = len(records[name].cells) if name in records else 0
        cells = [c for c in read_notebook(path).cells if c.cell_type == "code"]
        if ran != len(cells):
            faults.append(
                f"{name} must run all of its {len(cells)} cells, and ran {ran}"
            )
    return faults
