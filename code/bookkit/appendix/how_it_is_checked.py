"""The page that says how this book is checked, with a count of what is."""

import json
from pathlib import Path
from typing import Any

from bookkit.appendix.checks import CHECKS
from bookkit.appendix.counts import (
    Counts,
    count_chapter,
    data_file,
    law_tests,
    oldest_python,
    versions,
)
from bookkit.appendix.tables import counted, source_link, table, unwrapped
from bookkit.notebooks import NotebookError, chapters, relative_name

# Results that are made elsewhere: the page shows them when they are there.
GPU, MUTANTS = "book/appendix/data/gpu.json", "book/appendix/data/mutants.json"
INTRODUCTION = """\
# How this book is checked

**What has been checked on these pages, by what, and what could still be wrong?**

[](../using_this_book.md) says in short how a number on a page is checked. This page
counts what is checked, chapter by chapter, and says of each kind of check what it
catches and what it cannot catch. It is written by a command from the files of the book,
and a test fails when it is not up to date.

In all, the {chapters} chapters have {cells}. A test runs every one of them and compares
{outputs} with the stored ones: {texts} and {figures}. {ignored}, which is {share} of
the cells; the limit is 2 %. The versions are fixed: {versions}, with Python {python} or
newer. Everything runs on a CPU.
"""
OUTPUTS = """\
## Cells and outputs

*Drawn* cells hold source code of the package. *Ignored* cells measure time: their
outputs are not compared, and they carry an assertion instead. A cell that stores no
output is run as well, and must print nothing.
"""
LAWS = """\
## Laws, exercises, measurements

A *law* is a numbered theorem with a proof and a cell that checks it. The *tests behind*
are the test functions in the file that is linked. Each exercise has a solution that
passes its check. *Stored rows* count what was measured once, by a command that the file
names.
"""
KINDS = """\
## What each kind of check can and cannot catch

Each kind has a blind spot. That is why there are several: what one misses, another may
catch.
"""
REPEAT = """\
## How to repeat it

Each command sets up what it needs by itself, on a machine with Python 3.11 or newer and
`make`.
"""
COMMANDS = """\
```sh
make test        # run every test, then every notebook, and compare each output
make site-test   # build the site and open every page in a browser
make parity      # compare with PyTorch and Hugging Face, and write the rows anew
make appendix    # write this page and its kin anew
```
"""
DATES = """\
There is no date on this page, because it says what the files say. The same checks run
whenever the book changes, so a page is as new as the commit it was built from.
"""


def page(root: Path) -> str:
    """Return the page."""
    paths = chapters(root)
    counts = {path: count_chapter(path, root) for path in paths}
    total = sum(counts.values(), Counts())
    return "\n".join(
        [
            _introduction(len(paths), total, root),
            f"{unwrapped(OUTPUTS)}\n{_outputs(counts, total, root)}\n",
            f"{unwrapped(LAWS)}\n{_laws(counts, total, root)}\n",
            f"{unwrapped(KINDS)}\n{_kinds(root)}\n",
            f"## On a GPU\n\n{_gpu(root)}\n",
            f"## Mutation score\n\n{_mutants(root)}\n",
            f"{unwrapped(REPEAT)}\n{COMMANDS}",
            unwrapped(DATES),
        ]
    )


def _introduction(number: int, total: Counts, root: Path) -> str:
    """Return the words above the tables, with their numbers."""
    ignored = counted(total.ignored, "cell is", "cells are")
    return unwrapped(INTRODUCTION).format(
        chapters=number,
        cells=counted(total.cells, "code cell"),
        outputs=counted(total.outputs, "output"),
        texts=counted(total.texts, "text"),
        figures=counted(total.figures, "figure"),
        ignored=f"{ignored} left out of the comparison",
        share=_share(total),
        python=oldest_python(root),
        versions=", ".join(f"{k} {v}" for k, v in versions(root).items()),
    )


def _share(counts: Counts) -> str:
    return f"{counts.ignored / max(counts.cells, 1):.1%}".replace("%", " %")


def _title(path: Path, root: Path) -> str:
    """Link a chapter from the folder of the page."""
    return f"[](../{path.relative_to(root / 'book').as_posix()})"


def _outputs(counts: dict[Path, Counts], total: Counts, root: Path) -> str:
    """Return the table of cells and outputs."""
    head = ("chapter", "code cells", "drawn", "texts", "figures", "ignored", "share")
    lines = [(_title(path, root), c) for path, c in counts.items()]
    rows = [
        (name, c.cells, c.drawn, c.texts, c.figures, c.ignored, _share(c))
        for name, c in [*lines, ("**all**", total)]
    ]
    return table(head, rows, "lrrrrrr")


def _laws(counts: dict[Path, Counts], total: Counts, root: Path) -> str:
    """Return the table of laws, exercises and measurements."""
    head = ("chapter", "laws", "tests behind", "exercises", "stored rows")
    rows = []
    for path, c in counts.items():
        tests = source_link(f"{c.tests} tests", law_tests(path.stem, root), root)
        data = relative_name(data_file(path), root)
        stored = source_link(f"{c.rows:,} rows", data, root) if c.rows else "none"
        rows.append((_title(path, root), c.laws, tests, c.exercises, stored))
    rows.append(
        ("**all**", total.laws, total.tests, total.exercises, f"{total.rows:,}")
    )
    return table(head, rows, "lrrrr")


def _kinds(root: Path) -> str:
    """Return the table of the kinds of check."""
    head = ("check", "catches", "for example", "cannot catch")
    rows = [
        (
            check.name,
            check.catches,
            source_link(check.example, check.where.split("::")[0], root),
            check.misses,
        )
        for check in CHECKS
    ]
    return table(head, rows, "llll")


def _gpu(root: Path) -> str:
    """Say on which GPU the chapters were run, if on any."""
    found = _result(root, GPU, ("device", "torch", "chapters", "outputs"))
    if found is None:
        return (
            "Not yet run on a GPU. Every number here comes from a CPU; the chapters "
            "use a GPU when there is one, and draw their random numbers on the CPU."
        )
    return (
        f"The last recorded run on a GPU ({found['device']}, torch {found['torch']}) "
        f"ran {counted(found['chapters'], 'chapter')} and compared "
        f"{counted(found['outputs'], 'output')} with the ones stored here."
    )


def _mutants(root: Path) -> str:
    """Say how many planted mistakes the tests caught, if that was measured."""
    words = (
        "A **mutant** is the package with one small mistake planted on purpose. The "
        "share of mutants that some test catches says how well the tests watch. "
    )
    found = _result(root, MUTANTS, ("planted", "caught"))
    if found is None:
        return f"{words}It is not measured yet."
    share = f"{found['caught'] / found['planted']:.1%}".replace("%", " %")
    return (
        f"{words}Of {counted(found['planted'], 'mutant')} the tests caught "
        f"{found['caught']:,}, which is {share}."
    )


def _result(root: Path, name: str, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """Read a result that is made elsewhere, if it is there.

    Raises:
        NotebookError: The file is there and lacks something.
    """
    path = root / name
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    missing = [key for key in keys if key not in found]
    if missing:
        raise NotebookError(
            f"{name} must say {', '.join(keys)}, and lacks {', '.join(missing)}; "
            "record it again."
        )
    return found
