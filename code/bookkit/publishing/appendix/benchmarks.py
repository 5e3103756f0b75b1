"""The page of benchmarks: how fast the package is beside others, in recorded runs.

One is that of ``make bench JSON=book/appendix/data/bench.json``, and one was made on a
GPU, where there was one.
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
        BookError: No run is recorded, or one cannot be read.
    """
    run = _told(root / FILE)
    has_gpu = (root / ON_GPU).is_file()
    gpu = _told(root / ON_GPU) | _decoding(root / ON_GPU) if has_gpu else None
    references = [c["reference"] for told in (run, gpu) if told for c in told["cases"]]
    return {
        **run,
        "gpu": gpu,
        "has_ceiling": any("ceiling" in reference for reference in references),
    }


def _decoding(path: Path) -> dict[str, Case | None]:
    """Return the case that holds decoding against the reading of all weights."""
    found = (c for c in _read(path)["cases"] if c["reference"] == READING)
    return {"decoding": next(found, None)}


def _told(path: Path) -> dict[str, Any]:
    """Return what the page tells of one run."""
    run = _read(path)
    cases = {unit: [c for c in run["cases"] if c["unit"] == unit] for unit in UNITS}
    return {
        "run": run,
        "cases": run["cases"],
        "versions": ", ".join(f"{k} {v}" for k, v in run["versions"].items()),
        "tables": [
            {"title": UNITS[unit]} | _table(own, quick=run["quick"])
            for unit, own in cases.items()
            if own
        ],
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BookError(
            f"{path.name} must hold a recorded run, and cannot be read: {error}; run "
            f"'make bench JSON={FILE}'."
        ) from error


def _table(cases: list[Case], *, quick: bool) -> dict[str, Any]:
    """Return the ratios, and the aims if the run was full: they are set for that."""
    has_aims = not quick and any(case["aim"] is not None for case in cases)
    has_rates = any(RATE in case for case in cases)
    lines = [
        (
            case["name"],
            case["reference"],
            *map(_ratio, _ratios(case)),
            *(_aim(case) if has_aims else ()),
            *((case.get(RATE, ""),) if has_rates else ()),
        )
        for case in cases
    ]
    return {"has_aims": has_aims, "has_rates": has_rates, "lines": lines}


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
