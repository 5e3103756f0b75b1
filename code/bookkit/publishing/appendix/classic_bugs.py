"""Which tests and notebooks notice each of the classic bugs, as a table."""

from pathlib import Path

from bookkit.checking.mutants.patches import read_patches
from bookkit.checking.mutants.trials import MOST
from bookkit.checking.mutants.verdicts import Verdict, read_verdicts
from bookkit.publishing.appendix.tables import counted, source_link, table

HEAD = ("bug", "failing tests", "differing cells")


def classic_bugs(root: Path) -> str:
    """Describe which tests and notebooks noticed each bug that was planted."""
    verdicts = read_verdicts(root)
    if not verdicts:
        return "No bug is planted yet."
    wrong = {patch.name: patch.wrong for patch in read_patches(root)}
    caught = sum(verdict["tests"] > 0 for verdict in verdicts.values())
    run = [verdict for verdict in verdicts.values() if verdict["notebooks"]]
    shown = sum(bool(_cells(verdict)) for verdict in run)
    rows = [
        (wrong[name], _tests(verdict, root), _said(verdict))
        for name, verdict in verdicts.items()
        if name in wrong
    ]
    return (
        f"{counted(len(rows), 'classic bug')} of Transformers, written by hand, were "
        "planted one by one in a copy of the package. For each we ran the unit tests "
        f"of the part that is wrong, until {MOST} had failed. The tests caught "
        f"{caught}. For {len(run)} we also ran the chapters about the part, whose "
        f"stored outputs would have shown {shown}.\n\n{table(HEAD, rows, 'lll')}"
    )


def _tests(verdict: Verdict, root: Path) -> str:
    """Count the tests that failed, with a link to the file of the first."""
    file, _, name = (verdict["first"] or "").partition("::")
    if not file:
        return "none"
    return f"{verdict['tests']}, first {source_link(f'`{name}`', file, root)}"


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
