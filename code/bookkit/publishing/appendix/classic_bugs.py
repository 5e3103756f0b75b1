"""Which tests and notebooks notice each of the classic bugs."""

from pathlib import Path
from typing import Any

from bookkit.book.address import files_url
from bookkit.checking.mutants.patches import read_patches
from bookkit.checking.mutants.trials import MOST
from bookkit.checking.mutants.verdicts import Verdict, read_verdicts
from bookkit.publishing.appendix.templates import source_link


def classic_bugs(root: Path) -> dict[str, Any] | None:
    """Count the bugs that tests and notebooks noticed, if any was planted."""
    verdicts = read_verdicts(root)
    if not verdicts:
        return None
    files = files_url(root)
    wrong = {patch.name: patch.wrong for patch in read_patches(root)}
    caught = sum(verdict["tests"] > 0 for verdict in verdicts.values())
    run = [verdict for verdict in verdicts.values() if verdict["notebooks"]]
    shown = sum(bool(_cells(verdict)) for verdict in run)
    rows = [
        (wrong[name], _tests(verdict, files), _said(verdict))
        for name, verdict in verdicts.items()
        if name in wrong
    ]
    return {
        "rows": rows,
        "most": MOST,
        "caught": caught,
        "run": len(run),
        "shown": shown,
    }


def _tests(verdict: Verdict, files: str) -> str:
    """Count the tests that failed, with a link to the file of the first."""
    file, _, name = (verdict["first"] or "").partition("::")
    if not file:
        return "none"
    return f"{verdict['tests']}, first {source_link(f'`{name}`', file, files)}"


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
