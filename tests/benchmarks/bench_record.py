"""Keep what a run measured as JSON, from which the book makes a page."""

import json
import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch
from bench_measure import Comparison

PACKAGES = ("torch", "transformers")


def record(
    comparisons: Iterable[Comparison], *, quick: bool, rounds: int, device: torch.device
) -> dict:
    """Return a run as a dictionary: the machine in words, versions, cases."""
    return {
        "machine": machine(device),
        "versions": dict(sorted(versions().items())),
        "quick": quick,
        "rounds": rounds,
        "cases": [case_of(comparison, device) for comparison in comparisons],
    }


def write_record(path: Path, run: dict) -> None:
    """Write a run, one case a line."""
    cases = ",\n".join(f"  {json.dumps(case)}" for case in run["cases"])
    rest = {name: value for name, value in run.items() if name != "cases"}
    head = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in rest.items())
    text = f'{{\n{head},\n "cases": [\n{cases}\n ]\n}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def case_of(comparison: Comparison, device: torch.device) -> dict:
    """Return the ratios of a case, as they are printed; no time of a nameless machine.

    A GPU has a name, and how many tokens it writes in a second can be looked up.
    """
    case, (low, high) = comparison.case, comparison.spread()
    naive = comparison.ratio("naive") if "naive" in comparison.readings else None
    found = {
        "name": case.name,
        "reference": case.reference,
        "unit": case.unit,
        "ratio": round(comparison.ratio(), 2),
        "low": round(low, 2),
        "high": round(high, 2),
        "aim": case.aim,
        "naive": None if naive is None else round(naive, 2),
    }
    if case.tokens and device.type == "cuda":
        found["tokens a second"] = round(1000 * case.tokens / comparison.median("ours"))
    return found


def machine(device: torch.device) -> str:
    """Name the machine in words, as far as it matters for ratios."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    cores = os.cpu_count() or 1
    return f"{cores} {'core' if cores == 1 else 'cores'}, {platform.machine()}"


def versions() -> dict[str, str]:
    """Return the versions of what was measured, of those that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name).split("+")[0]
        except PackageNotFoundError:
            continue
    return found
