"""The page of benchmarks: how fast the package is beside others, in one recorded run.

The run is that of ``make bench JSON=book/appendix/data/bench.json``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError
from bookkit.publishing.appendix.tables import counted, table, unwrapped

FILE = "book/appendix/data/bench.json"
Case = Mapping[str, Any]
UNITS = {"ms": "Time", "MiB": "Memory"}
HEAD = ("what", "against", "ratio", "lowest", "highest")
INTRODUCTION = """\
# Benchmarks

**What does it cost to use code that is written to be read?**

Each row measures the package beside another that does the same work on the same input,
in turn, in one run on one machine. The **ratio** is that of the medians: below 1 ours
takes less, above 1 it takes more. *Lowest* and *highest* are the ratios of single
rounds; they say how much of a ratio to believe. Before anything is measured, the
results of both sides must agree.

A time depends on the machine, and a ratio less so. So this page keeps ratios, and no
test asks for one. The run recorded here had {rounds}, on {machine}, with {versions}.
{quick}
"""
QUICK = """\
It was a quick run: short sequences, few layers and few rounds, so its ratios are rough.
"""
AIM = """\
The *aim* is the ratio that was set before measuring; a ratio above it is *missed*, and
stays in the table.
"""
CEILING = """\
Where the other side is called a *ceiling*, it is one matrix product, and the ratio is
that of the times for equally many multiplications: at 1, a layer would multiply
matrices at full speed and do nothing else.
"""
CLOSING = """\
## How to repeat it

`make bench` prints the table for your machine, in some minutes; `make bench QUICK=1`
takes fewer. `make bench JSON=book/appendix/data/bench.json` records a run, and `make
appendix` writes this page from it.
"""


def page(root: Path) -> str:
    """Return the page of benchmarks.

    Raises:
        BookError: No run is recorded.
    """
    run = _read(root / FILE)
    sections = [_introduction(run)]
    for unit, name in UNITS.items():
        cases = [case for case in run["cases"] if case["unit"] == unit]
        if cases:
            sections.append(f"## {name}\n\n{_table(cases, quick=run['quick'])}\n")
    return "\n".join([*sections, unwrapped(CLOSING)])


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BookError(
            f"{FILE} must hold a recorded run, and cannot be read: {error}; run "
            f"'make bench JSON={FILE}'."
        ) from error


def _introduction(run: Mapping[str, Any]) -> str:
    """Return the words above the tables."""
    text = INTRODUCTION
    if any("ceiling" in case["reference"] for case in run["cases"]):
        text = f"{text}\n{CEILING}"
    return unwrapped(text).format(
        rounds=counted(run["rounds"], "round"),
        machine=f"a machine with {run['machine']}",
        versions=", ".join(f"{k} {v}" for k, v in run["versions"].items()),
        quick=unwrapped(QUICK if run["quick"] else AIM).strip(),
    )


def _table(cases: list[Case], *, quick: bool) -> str:
    """Return the ratios, and the aims if the run was full: they are set for that."""
    rows = [
        (case["name"], case["reference"], *map(_ratio, _ratios(case))) for case in cases
    ]
    if quick or all(case["aim"] is None for case in cases):
        return table(HEAD, rows, "llrrr")
    rows = [(*row, *_aim(case)) for row, case in zip(rows, cases, strict=True)]
    return table((*HEAD, "aim", "verdict"), rows, "llrrrrl")


def _ratios(case: Case) -> tuple[float, float, float]:
    return case["ratio"], case["low"], case["high"]


def _ratio(value: float) -> str:
    return f"{value:.2f}"


def _aim(case: Case) -> tuple[str, str]:
    """Return the aim of a case and whether it was met; both count as printed."""
    if case["aim"] is None:
        return "", ""
    met = round(case["ratio"], 2) <= round(case["aim"], 2)
    return _ratio(case["aim"]), "met" if met else "missed"
