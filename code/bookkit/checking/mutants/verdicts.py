"""Plant each patch, see which tests and notebooks notice, and keep it as JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.checking.mutants.patches import Patch, apply, read_patches
from bookkit.checking.mutants.trials import copied, failing_cells, failing_tests

FILE = "book/appendix/data/patches.json"
Verdict = dict[str, Any]


def plant(
    root: Path,
    *,
    only: str = "*",
    kind: str = "all",
    report: Callable[[str], None] = print,
) -> None:
    """Plant patches one by one, record what noticed them, and report a line for each.

    Args:
        root: The book's root; nothing of the package is changed there.
        only: A pattern of names; the record of the other patches stays.
        kind: Classic bugs, those by meaning, or all.
        report: What to do with a line.

    Raises:
        BookError: A patch is faulty, or no unit test has noticed one.
    """
    patches = read_patches(root, only, kind)
    unseen = []
    for patch in patches:
        verdict = judge(patch, root)
        write_verdict(root, patch.name, verdict)
        report(line(patch.name, verdict))
        unseen += [] if verdict["tests"] else [patch.name]
    report(f"{len(patches) - len(unseen)} of {len(patches)} patches caught by tests.")
    if unseen:
        raise BookError(
            f"unit tests must notice each patch, and let {', '.join(unseen)} pass; "
            "write the test that is missing, or name its file."
        )


def judge(patch: Patch, root: Path) -> Verdict:
    """Plant one patch in a copy of the book and return what noticed it.

    Tried are the tests and the notebooks that it names.
    """
    with copied(root) as copy:
        apply(patch, copy)
        failed = failing_tests(copy, patch.tests)
        shown = {chapter: failing_cells(copy, chapter) for chapter in patch.chapters}
    first = failed[0] if failed else None
    return {
        "tests": len(failed),
        "first": first and first.name,
        "seconds": first and first.seconds,
        "timed_out": first and first.timed_out,
        "notebooks": {
            chapter: {"cells": len(cells), "first": cells[0] if cells else None}
            for chapter, cells in shown.items()
        },
    }


def line(name: str, verdict: Verdict) -> str:
    """Summarize in a line what noticed a patch."""
    shown = [
        f"{Path(chapter).stem}: {found['cells']} cells, first {found['first']}"
        for chapter, found in verdict["notebooks"].items()
        if found["cells"]
    ]
    return (
        f"{name}: {verdict['tests']} tests, first {verdict['first']}; "
        f"{'; '.join(shown) or 'no notebook'}"
    )


def read_verdicts(root: Path) -> dict[str, Verdict]:
    """Read what is on record: a verdict for each name of a patch; none at first."""
    path = root / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_verdict(root: Path, name: str, verdict: Verdict) -> None:
    """Put a verdict on record, beside those of patches that there still are."""
    kept = read_verdicts(root) | {name: verdict}
    names = [patch.name for patch in read_patches(root) if patch.name in kept]
    text = json.dumps({name: kept[name] for name in names}, indent=1) + "\n"
    path = root / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode("utf-8"))
