"""See that every notebook gives the same outputs in every environment.

``environments`` says what is changed, ``rounds`` runs the notebooks in one environment,
and ``check`` runs all of them and prints a table.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import torch

from bookkit.book.errors import BookError
from bookkit.checking.determinism.environments import environments
from bookkit.checking.determinism.rounds import RERUN, Round, run_anew, validate_in

Run = Callable[[Path, Sequence[Path]], Round]


def all_rounds() -> dict[str, Run]:
    """List what runs the notebooks, by the names of the environments."""
    rounds = {
        name: partial(validate_in, name, environment)
        for name, environment in environments().items()
    }
    return rounds | {RERUN: run_anew}


def check(
    root: Path,
    notebooks: Sequence[Path],
    *,
    only: str | None = None,
    json_file: Path | None = None,
    report: Callable[[str], None] = print,
) -> None:
    """Run notebooks in each environment and compare every output.

    Args:
        root: The book's root.
        notebooks: Which.
        only: The name of the one environment to try; all when omitted.
        json_file: Where to write what came of it.
        report: What to do with a line of the report.

    Raises:
        BookError: An output differs somewhere, or there is no such environment.
    """
    rounds = all_rounds()
    if only and only not in rounds:
        raise BookError(
            f"The environment must be one of {', '.join(rounds)}, and is '{only}'."
        )
    done = []
    for name in [only] if only else rounds:
        done.append(rounds[name](root, notebooks))
        report(f"{name}: {done[-1].words}: {len(done[-1].faults)} faults")
    report("\n".join(table_of(done)))
    if json_file:
        json_file.write_text(text_of(done), encoding="utf-8")
    faults = [f"{found.name}, {fault}" for found in done for fault in found.faults]
    if faults:
        raise BookError(
            "Every output must be the same in every environment; mend these:\n"
            + "\n".join(faults)
        )


def table_of(rounds: Sequence[Round]) -> list[str]:
    """Return what came of all rounds, as the lines of a table."""
    width = max(len(name) for name in ("environment", *(r.name for r in rounds)))
    lines = [
        f"{'environment':{width}}  notebooks  cells  outputs  faults  decimals  units"
        "  points  levels"
    ]
    for found in rounds:
        met = found.differences
        lines.append(
            f"{found.name:{width}}  {found.notebooks:9}  {found.cells:5}"
            f"  {found.outputs:7}  {len(found.faults):6}  {met.decimals:8}"
            f"  {met.units:5}  {met.points:6.2g}  {met.levels:6.2g}"
        )
    return lines


def text_of(rounds: Sequence[Round]) -> str:
    """Return what came of all rounds, as the text of a file."""
    found = {
        "torch": torch.__version__.split("+")[0],
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "rounds": [asdict(each) for each in rounds],
    }
    return json.dumps(found, indent=1) + "\n"
