"""What a kill matrix says: who notices, who does so alone, and how few would do."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bookkit.book.files import replace_file

FILE, MUTANT = "tests/mutants/matrix.json", "__mutmut_"
ALL = "(all)"  # who notices a package that cannot be loaded

Noticed = Mapping[str, set[str]]


def keep(root: Path, rows: Mapping[str, Mapping[str, Any]], tests: Mapping) -> None:
    """Write who notices each bug: numbers of tests, one line for a bug."""
    names = sorted({*tests, *(name for row in rows.values() for name in row["by"])})
    places = {name: place for place, name in enumerate(names)}
    lines = {
        bug: json.dumps([places[name] for name in row["by"]])
        for bug, row in rows.items()
    }
    bugs = ",\n".join(f"{json.dumps(bug)}: {line}" for bug, line in lines.items())
    listed = ",\n".join(json.dumps(name) for name in names)
    text = f'{{"tests": [\n{listed}\n],\n"bugs": {{\n{bugs}\n}}}}\n'
    replace_file(root / FILE, text.encode("utf-8"))


def read(root: Path) -> dict[str, set[str]]:
    """Read which tests notice each bug."""
    kept = json.loads((root / FILE).read_text("utf-8"))
    return {
        bug: {kept["tests"][place] for place in places}
        for bug, places in kept["bugs"].items()
    }


def alone(noticed: Noticed) -> Counter[str]:
    """Count for each test the bugs that no other notices."""
    return Counter(next(iter(tests)) for tests in noticed.values() if len(tests) == 1)


def cover(noticed: Noticed) -> list[str]:
    """Choose tests that notice all bugs together, greedily: most first."""
    left = {bug: tests for bug, tests in noticed.items() if tests}
    chosen = []
    while left:
        counts = Counter(test for tests in left.values() for test in tests)
        best = min(counts, key=lambda test: (-counts[test], test))
        chosen.append(best)
        left = {bug: tests for bug, tests in left.items() if best not in tests}
    return chosen


def words(
    rows: Mapping[str, Mapping[str, Any]],
    rings: Mapping[str, int],
    left_out: Sequence[str],
) -> str:
    """Say what the matrix tells.

    Args:
        rows: What was found out about each bug.
        rings: The ring of each test; one that is not named is of the first.
        left_out: Tests that were not asked.
    """
    noticed = {bug: set(row["by"]) for bug, row in rows.items()}
    first = {
        bug: {name for name in tests if rings.get(name, 1) == 1}
        for bug, tests in noticed.items()
    }
    named = {bug: tests - {ALL} for bug, tests in noticed.items()}
    whole = {bug: named[bug] for bug, row in rows.items() if not row.get("left")}
    needed, chosen = alone(named).keys(), cover(named)
    lines = []
    for kind, is_mutant in (("planted bugs", False), ("mutants", True)):
        bugs = [bug for bug in noticed if (MUTANT in bug) == is_mutant]
        seen, early = ([b for b in bugs if by[b]] for by in (noticed, first))
        copies = sum(rows[bug]["how"] == "copy" for bug in bugs)
        late = sum(set(rows[b]["by"]) == set(rows[b].get("late", ())) for b in seen)
        errors = [b for b in bugs if not noticed[b] and rows[b].get("errors")]
        cut = sum(bool(rows[b].get("left")) for b in bugs)
        unseen = sorted({*bugs} - {*seen} - {*errors})
        lines += [
            f"{len(seen)} of {len(bugs)} {kind} are noticed, {len(early)} in ring 1; "
            f"{copies} were tried in a copy, {late} seen by a time limit alone.",
            *_listed("  by ring 3 alone", sorted({*seen} - {*early})),
            *_listed("  by a fixture that raises alone", errors),
            f"  after the cheapest tests others were not asked: {cut}",
            *_listed("  by nobody", [_why(b, rows[b]) for b in unseen]),
        ]
    never = sorted(rings.keys() - needed)
    tops = [f"{name} ({count})" for name, count in alone(whole).most_common(10)]
    return "\n".join(
        [
            *lines,
            *_listed("alone notice most, where all were asked", tops),
            *_listed("a smallest choice that notices all, greedily", chosen),
            *_listed("never the only one to notice", never),
            *_listed("not asked, since they start processes or fail here", left_out),
        ]
    )


def _why(bug: str, row: Mapping[str, Any]) -> str:
    return f"{bug}: {row['why']}" if row["how"] == "dead" else bug


def _listed(title: str, names: Sequence[str]) -> list[str]:
    return [f"{title}: {len(names)}", *(f"    {name}" for name in names)]
