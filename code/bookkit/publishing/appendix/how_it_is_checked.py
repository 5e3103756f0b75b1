"""The page that says how this book is checked, and who notices each planted bug."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from bookkit.book.address import files_url
from bookkit.book.files import read_toml, relative_name
from bookkit.book.notebooks import chapters
from bookkit.checking.formulas.record import RECORD, Record, read_record
from bookkit.checking.numbers.tracing import RECORD as NUMBERS
from bookkit.checking.patches import INDEX, Patch, read_patches
from bookkit.checking.planting import MOST, Verdict, read_verdicts
from bookkit.publishing.appendix.counts import (
    Counts,
    count_chapter,
    count_rows,
    data_files,
    law_tests,
)
from bookkit.publishing.appendix.templates import number, source_link
from bookkit.writing.constraints import oldest_python, versions

CHECKS, GPU = "book/appendix/data/checks.toml", "book/appendix/data/gpu.json"
SHARED = "laboratory"  # the folder of what several chapters read
LANDING = "live"  # and of the translator on the landing page


def facts(root: Path) -> dict[str, Any]:
    """Return what the page tells."""
    paths, files = chapters(root), files_url(root)
    lines = [_chapter(path, root, files) for path in paths]
    appended = [path for path in paths if path.parent.name == "appendix"]
    shared, landing = count_rows(root, SHARED), count_rows(root, LANDING)
    return {
        "chapters": lines,
        "shared": _rows(shared, SHARED, root, files),
        "landing": _rows(landing, LANDING, root, files),
        "others": [path.relative_to(root / "book").as_posix() for path in appended],
        "total": sum((line["counts"] for line in lines), Counts(rows=shared + landing)),
        "python": oldest_python(root),
        "versions": ", ".join(f"{k} {v}" for k, v in versions(root).items()),
        "formulas": _formulas(root, files),
        "numbers": source_link("a list", NUMBERS, files),
        "checks": [_check(check, files) for check in read_toml(root, CHECKS)["check"]],
        "gpu": gpu(root),
        "bugs": classic_bugs(root),
        "meanings": bugs_by_meaning(root),
    }


def _chapter(path: Path, root: Path, files: str) -> dict[str, Any]:
    """Count what a chapter holds, and link it and its files."""
    counts, laws = count_chapter(path, root), law_tests(path, root)
    return {
        "title": f"[](../{path.relative_to(root / 'book').as_posix()})",
        "counts": counts,
        "tests": source_link(f"{counts.tests} tests", laws, files) if laws else "none",
        "rows": _rows(counts.rows, path.stem, root, files),
    }


def _rows(count: int, folder: str, root: Path, files: str) -> str:
    """Link the file of stored rows of a folder, or the folder if it has several."""
    if not count:
        return "none"
    paths = data_files(root, folder)
    data = paths[0] if len(paths) == 1 else paths[0].parent
    return source_link(f"{number(count)} rows", relative_name(data, root), files)


def _formulas(root: Path, files: str) -> dict[str, Any]:
    """Count the formulas, those that a test computes, and their changes."""
    record = read_record(root)
    kinds = {
        "with a number": record.numbered,
        "without a number": record.unnumbered,
    }
    kinds["**all**"] = record.latex
    pages = {path.stem: path for path in chapters(root)}
    return {
        "rows": [
            (where, len(labels), *_computed(record, record.bound_of(labels)))
            for where, labels in kinds.items()
        ],
        "true": source_link("listed with the reasons", RECORD, files),
        "not_bound": [
            (formula_place(label, pages, root), why)
            for label, why in record.not_bound.items()
        ],
    }


def _computed(record: Record, labels: list[str]) -> tuple[int, int, int]:
    """Count formulas that are computed, their wrong versions, and their true ones."""
    wrong = sum(len(record.wrong(label)) for label in labels)
    return len(labels), wrong, sum(len(record.true(label)) for label in labels)


def formula_place(label: str, pages: dict[str, Path], root: Path) -> str:
    """Link a formula, or name the heading below which it stands."""
    page, parted, heading = label.partition(": ")
    if parted:
        path = pages[page].relative_to(root / "book")
        return f"[](../{path.as_posix()}), *{heading}*"
    return f"[](#{label})"


def gpu(root: Path) -> dict[str, Any]:
    """Return on which GPU the chapters were run, and what differed.

    A note says what an author found worth telling of that run.
    """
    return {"note": "", **json.loads((root / GPU).read_text("utf-8"))}


def _check(check: dict[str, str], files: str) -> dict[str, str]:
    """Return a kind of check with a link to its example."""
    path = check["test"].split("::")[0]
    return check | {"example": source_link(check["example"], path, files)}


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
