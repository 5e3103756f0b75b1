"""The page of benchmarks: how fast the package is beside others, in recorded runs.

One is that of ``make bench JSON=book/appendix/data/bench.json``, and one was made on a
GPU.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError

FILE, ON_GPU = "book/appendix/data/bench.json", "book/appendix/data/bench_gpu.json"
Case = Mapping[str, Any]
RATE, READING = "tokens a second", "ceiling: reading all weights"
UNITS = {"ms": "Time", "MiB": "Memory"}


def facts(root: Path) -> dict[str, Any]:
    """Return what the page tells.

    Raises:
        BookError: A run is not recorded in full, or cannot be read.
    """
    run, gpu = (_read(root / file) for file in (FILE, ON_GPU))
    there = {_key(case): _ratio(case["ratio"]) for case in gpu["cases"]}
    tables = {
        title: [case for case in run["cases"] if case["unit"] == unit]
        for unit, title in UNITS.items()
    }
    return {
        "run": run,
        "tables": [
            {"title": title, **_table(cases, there)} for title, cases in tables.items()
        ],
        "gpu": gpu | _decoding(gpu["cases"]),
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BookError(
            f"{path.name} must hold a recorded run, and cannot be read: {error}; run "
            f"'make bench JSON={FILE}'."
        ) from error
    if run["quick"]:
        raise BookError(f"{path.name} must hold a full run; run it without QUICK=1.")
    versions = ", ".join(f"{name} {it}" for name, it in run["versions"].items())
    return run | {"versions": versions}


def _key(case: Case) -> tuple[str, str]:
    return case["name"], case["reference"]


def _decoding(cases: list[Case]) -> dict[str, Any]:
    """Return how fast texts were written, and one beside the reading of all weights."""
    return {
        "texts": [
            (*_key(case), _ratio(case["ratio"]), case[RATE])
            for case in cases
            if RATE in case
        ],
        "reading": next(case for case in cases if case["reference"] == READING),
    }


def _table(cases: list[Case], there: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return the ratios, with the aims if any were set.

    Args:
        cases: Those of the CPU.
        there: The ratios of the GPU, by name and reference.
    """
    has_aims = any(case["aim"] is not None for case in cases)
    lines = [
        (
            *_key(case),
            *(_ratio(case[kind]) for kind in ("ratio", "low", "high")),
            *(_aim(case) if has_aims else ()),
            there.get(_key(case), ""),
        )
        for case in cases
    ]
    return {"has_aims": has_aims, "lines": lines}


def _ratio(value: float) -> str:
    return f"{value:.2f}"


def _aim(case: Case) -> tuple[str, str]:
    """Return the aim of a case and whether it was met; both count as printed."""
    if case["aim"] is None:
        return "", ""
    met = round(case["ratio"], 2) <= round(case["aim"], 2)
    return _ratio(case["aim"]), "met" if met else "missed"
