"""Which tests and notebooks notice each of the planted bugs."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from bookkit.book.address import files_url
from bookkit.checking.mutants.patches import INDEX, Patch, read_patches
from bookkit.checking.mutants.trials import MOST
from bookkit.checking.mutants.verdicts import Verdict, read_verdicts
from bookkit.publishing.appendix.templates import source_link


def classic_bugs(root: Path) -> dict[str, Any]:
    """Count the bugs that tests and notebooks noticed."""
    patches, verdicts = _planted(root, "classic")
    files = files_url(root)
    caught = sum(verdict["tests"] > 0 for verdict in verdicts.values())
    run = [verdict for verdict in verdicts.values() if verdict["notebooks"]]
    shown = sum(bool(_cells(verdict)) for verdict in run)
    rows = [
        (patches[name].wrong, *_tests(verdict, files), _said(verdict))
        for name, verdict in verdicts.items()
    ]
    return {
        "rows": rows,
        "most": MOST,
        "caught": caught,
        "run": len(run),
        "shown": shown,
    } | _times(verdicts.values())


def bugs_by_meaning(root: Path) -> dict[str, Any]:
    """Count the bugs that tests noticed, and say which did."""
    patches, verdicts = _planted(root, "meaning")
    files, planted, caught = files_url(root), Counter(), Counter()
    for name, verdict in verdicts.items():
        folder = patches[name].files[0].removeprefix("code/").rpartition("/")[0]
        planted[folder] += 1
        caught[folder] += verdict["tests"] > 0
    return {
        "rows": [(f"`{x}`", planted[x], caught[x]) for x in sorted(planted)],
        "each": [(patches[x].wrong, *_tests(verdicts[x], files)) for x in verdicts],
        "planted": planted.total(),
        "caught": caught.total(),
        "index": source_link("named one by one", INDEX, files),
    } | _times(verdicts.values())


def _times(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return how long the first tests took, and how many a time limit ended."""
    caught = [verdict for verdict in verdicts if verdict["tests"]]
    seconds = [verdict["seconds"] for verdict in caught]
    return {
        "median": _two_digits(median(seconds)),
        "longest": _two_digits(max(seconds)),
        "timed_out": sum(verdict["timed_out"] for verdict in caught),
    }


def _planted(root: Path, kind: str) -> tuple[dict[str, Patch], dict[str, Verdict]]:
    """Return the patches of a kind, and what noticed those that were planted."""
    recorded = read_verdicts(root)
    patches = {p.name: p for p in read_patches(root) if p.kind == kind}
    return patches, {name: recorded[name] for name in patches if name in recorded}


def _tests(verdict: Verdict, files: str) -> tuple[str, str]:
    """Count the tests that failed, link the file of the first, and say its seconds."""
    file, _, name = (verdict["first"] or "").partition("::")
    if not file:
        return "none", "none"
    link = source_link(f"`{name}`", file, files)
    return f"{verdict['tests']}, first {link}", _two_digits(verdict["seconds"])


def _two_digits(seconds: float) -> str:
    """Round seconds, of which another run gives others: 0.0034, 7.2, 120."""
    return f"{float(f'{seconds:.2g}'):g}"


def _said(verdict: Verdict) -> str:
    """Describe which cells differed, if the chapters were run."""
    if not verdict["notebooks"]:
        return "not run yet"
    return _cells(verdict) or "none"


def _cells(verdict: Verdict) -> str:
    """Count the cells that differed in each chapter, with links."""
    return ", ".join(
        f"{found['cells']} in [](../{chapter.removeprefix('book/')})"
        for chapter, found in verdict["notebooks"].items()
        if found["cells"]
    )
