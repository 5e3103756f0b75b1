"""The page that says how this book is checked, with a count of what is."""

from pathlib import Path

from bookkit.book.files import relative_name
from bookkit.book.notebooks import chapters
from bookkit.book.pins import oldest_python, versions
from bookkit.publishing.appendix.checks import CHECKS
from bookkit.publishing.appendix.classic_bugs import classic_bugs
from bookkit.publishing.appendix.counts import (
    Counts,
    count_chapter,
    data_file,
    law_tests,
)
from bookkit.publishing.appendix.results import environments, gpu, mutants
from bookkit.publishing.appendix.tables import counted, source_link, table, unwrapped

INTRODUCTION = """\
# How this book is checked

**What has been checked on these pages, by what, and what could still be wrong?**

[](../using_this_book.md) says in short how a number on a page is checked. This page
counts what is checked, chapter by chapter, and says of each kind of check what it
catches and what it cannot catch. It is written by a command from the files of the book,
and a test fails when it is not up to date.

In all, the {notebooks} notebooks ({chapters} and {others}) have {cells}. A test runs
every one of them and compares {outputs} with the stored ones: {texts} and {figures}.
{ignored}, which is {share} of the cells; the limit for the book as a whole is 2 %, and
a single chapter may be above it. The versions are fixed: {versions}, with Python
{python} or newer. Everything runs on a CPU.
"""
OUTPUTS = """\
## Cells and outputs

*Package* cells hold source code that is copied from the package. *Ignored* cells
measure time: their outputs are not compared, and they carry an assertion instead. A
cell that stores no output is run as well, and must print nothing.
"""
LAWS = """\
## Laws, exercises, measurements

A *law* is a numbered theorem with a proof and a cell that checks it. The *tests behind*
are the test functions in the file that is linked. Each exercise has a solution that
passes its check. *Stored rows* count what was measured once, by a command that the file
names.
"""
ENVIRONMENTS = """\
## In other environments

What differs between two computers is changed here, one thing at a time, and every
notebook is run again. *Decimals* counts those that are not printed alike. *Units* is
the largest difference of two decimals, in units of the last printed place, of which one
passes. *Points* is that of two coordinates of a figure, of which a tenth passes, and
*levels* that of two colors, of 255, of which two pass, and four in a small tile of a
picture.
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
make determinism # run the notebooks in other environments, an hour or two
make test-gpu    # run them on a GPU, where there is one
make parity      # compare with PyTorch and Hugging Face, and write the rows anew
make appendix    # write this page and its kin anew
```
"""
DATES = """\
The text of this page has no date, since one would go stale; the foot of the page names
the commit. The same checks run whenever the book changes, so a page is as new as the
commit it was built from.
"""


def page(root: Path) -> str:
    """Return the page."""
    paths = chapters(root)
    counts = {path: count_chapter(path, root) for path in paths}
    total = sum(counts.values(), Counts())
    return "\n".join(
        [
            _introduction(paths, total, root),
            f"{unwrapped(OUTPUTS)}\n{_outputs(counts, total, root)}\n",
            f"{unwrapped(LAWS)}\n{_laws(counts, total, root)}\n",
            f"{unwrapped(KINDS)}\n{_kinds(root)}\n",
            f"{unwrapped(ENVIRONMENTS)}\n{environments(root)}\n",
            f"## On a GPU\n\n{gpu(root)}\n",
            f"## Mutation score\n\n{mutants(root)}\n",
            f"## Classic bugs\n\n{classic_bugs(root)}\n",
            f"{unwrapped(REPEAT)}\n{COMMANDS}",
            unwrapped(DATES),
        ]
    )


def _introduction(paths: list[Path], total: Counts, root: Path) -> str:
    """Return the words above the tables, with their numbers."""
    others = [path for path in paths if path.parent.name == "appendix"]
    ignored = counted(total.ignored, "cell is", "cells are")
    return unwrapped(INTRODUCTION).format(
        notebooks=len(paths),
        chapters=counted(len(paths) - len(others), "chapter"),
        others=", ".join(_title(path, root) for path in others),
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
    head = ("chapter", "code cells", "package", "texts", "figures", "ignored", "share")
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
        laws = law_tests(path, root)
        tests = source_link(f"{c.tests} tests", laws, root) if laws else "none"
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
