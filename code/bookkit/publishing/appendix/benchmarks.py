"""The page of benchmarks: how fast the package is beside others, in one recorded run.

The run is that of ``make bench JSON=book/appendix/data/bench.json``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError

FILE = "book/appendix/data/bench.json"
Case = Mapping[str, Any]
UNITS = {"ms": "Time", "MiB": "Memory"}


def facts(root: Path) -> dict[str, Any]:
    """Return what the page tells.

    Raises:
        BookError: No run is recorded.
    """
    run = _read(root / FILE)
    cases = {unit: [c for c in run["cases"] if c["unit"] == unit] for unit in UNITS}
    return {
        "run": run,
        "versions": ", ".join(f"{k} {v}" for k, v in run["versions"].items()),
        "has_ceiling": any("ceiling" in case["reference"] for case in run["cases"]),
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
            f"{FILE} must hold a recorded run, and cannot be read: {error}; run "
            f"'make bench JSON={FILE}'."
        ) from error


def _table(cases: list[Case], *, quick: bool) -> dict[str, Any]:
    """Return the ratios, and the aims if the run was full: they are set for that."""
    has_aims = not quick and any(case["aim"] is not None for case in cases)
    lines = [
        (
            case["name"],
            case["reference"],
            *map(_ratio, _ratios(case)),
            *(_aim(case) if has_aims else ()),
        )
        for case in cases
    ]
    return {"has_aims": has_aims, "lines": lines}


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
