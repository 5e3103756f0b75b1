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
    run = _read(root / FILE)
    gpu = _read(root / ON_GPU) if (root / ON_GPU).is_file() else None
    there = {_key(case): case for case in gpu["cases"]} if gpu else {}
    cases = {unit: [c for c in run["cases"] if c["unit"] == unit] for unit in UNITS}
    return {
        "run": run,
        "versions": _versions(run),
        "has_ceiling": any("ceiling" in case["reference"] for case in run["cases"]),
        "tables": [
            {"title": UNITS[unit]} | _table(own, there, quick=run["quick"])
            for unit, own in cases.items()
            if own
        ],
        "gpu": gpu and gpu | {"versions": _versions(gpu), **_decoding(gpu["cases"])},
    }


def _key(case: Case) -> tuple[str, str]:
    return case["name"], case["reference"]


def _versions(run: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in run["versions"].items())


def _decoding(cases: list[Case]) -> dict[str, Any]:
    """Return how fast texts were written, and one beside the reading of all weights."""
    return {
        "texts": [
            (*_key(case), _ratio(case["ratio"]), case[RATE])
            for case in cases
            if RATE in case
        ],
        "reading": next((c for c in cases if c["reference"] == READING), None),
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BookError(
            f"{path.name} must hold a recorded run, and cannot be read: {error}; run "
            f"'make bench JSON={FILE}'."
        ) from error


def _table(
    cases: list[Case], there: Mapping[tuple[str, str], Case], *, quick: bool
) -> dict[str, Any]:
    """Return the ratios, and the aims if the run was full: they are set for that.

    Args:
        cases: Those of the CPU.
        there: Those of the GPU, by name and reference; none if it was not measured.
        quick: Whether the run was quick.
    """
    has_aims = not quick and any(case["aim"] is not None for case in cases)
    lines = [
        (
            *_key(case),
            *map(_ratio, _ratios(case)),
            *(_aim(case) if has_aims else ()),
            *(_beside(there.get(_key(case))) if there else ()),
        )
        for case in cases
    ]
    return {"has_aims": has_aims, "has_gpu": bool(there), "lines": lines}


def _beside(case: Case | None) -> tuple[str]:
    return (_ratio(case["ratio"]) if case else "",)


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
