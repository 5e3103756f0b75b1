"""Run mutmut on a sample of mutants and record which of them the tests let pass."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.checking.mutants.planting import survives_planting
from bookkit.checking.mutants.sampling import draw_sample, module_of, trim_tests
from bookkit.checking.mutants.workshop import Workshop

FILE, EQUIVALENT = "book/appendix/data/mutants.json", "tests/mutants/equivalent.toml"
# A module with few mutants, which mutmut tries when it is asked for the first time.
FIRST = "transformer.packages.*"
# A test fails: somebody has noticed.
CAUGHT = ("killed", "segfault")
# Or none ends, which a busy machine may bring about as well.
NOTICED = (*CAUGHT, "timeout")
STATISTICS = "mutmut-stats.json"

Diff = tuple[list[str], list[str]]


def measure(
    root: Path,
    *,
    size: int | None,
    seed: int,
    report: Callable[[str], None] = print,
) -> None:
    """Try a sample of mutants and record the score.

    What was caught before is not tried again. A mutant is shown to the nearest tests
    first. What they let pass, unless it is known to be no mistake, is shown to all
    tests that reach it, and what these let pass is planted for good.

    Args:
        root: The book's root.
        size: How many mutants; all when None.
        seed: Another one draws others.
        report: What to do with a line.

    Raises:
        BookError: mutmut cannot be installed, or fails.
    """
    workshop = Workshop(root)
    workshop.mutmut("run", FIRST, shown=True)
    found = statuses(workshop)
    sample = draw_sample(found, size, seed)
    statistics = workshop.results / STATISTICS
    whole = statistics.read_bytes()
    trim_tests(statistics)
    try:
        found = _try_again(workshop, sample, found, CAUGHT)
    finally:
        statistics.write_bytes(whole)
    equivalents = read_equivalents(root)
    diffs = {n: workshop.mutmut("show", n) for n in sample if found[n] not in NOTICED}
    unexplained = _unexplained(found, diffs, equivalents)
    found = _try_again(workshop, unexplained, found, NOTICED)
    diffs = {name: diff for name, diff in diffs.items() if found[name] not in NOTICED}
    for name in _unexplained(found, diffs, equivalents):
        if not _survives(root, name, diffs):
            found |= {name: CAUGHT[0]}
            del diffs[name]
    record = summary({name: found[name] for name in sample}, diffs, equivalents)
    record |= {"all": len(found), "seed": seed}
    text = json.dumps(record, indent=1) + "\n"
    replace_file(root / FILE, text.encode("utf-8"))
    report(words(record))


def _try_again(
    workshop: Workshop,
    names: Sequence[str],
    found: Mapping[str, str],
    settled: Sequence[str],
) -> Mapping[str, str]:
    """Try mutants whose status does not settle them, and return what is known then."""
    left = [name for name in names if found[name] not in settled]
    if not left:
        return found
    workshop.mutmut("run", *left, shown=True)
    return statuses(workshop)


def _unexplained(
    found: Mapping[str, str],
    diffs: Mapping[str, str],
    equivalents: list[dict[str, Any]],
) -> list[str]:
    """Return which mutants live on without a reason."""
    survivors = summary(found, diffs, equivalents)["survivors"]
    return [row["mutant"] for row in survivors if "why" not in row]


def _survives(root: Path, name: str, diffs: Mapping[str, str]) -> bool:
    """Return whether nobody notices a mutant that is planted for good."""
    module, _, function = function_of(name).partition(":")
    return survives_planting(root, module, function, diffs[name])


def statuses(workshop: Workshop) -> dict[str, str]:
    """Return what mutmut knows of each mutant."""
    lines = workshop.mutmut("results", "--all", "true").splitlines()
    pairs = (line.strip().rpartition(": ") for line in lines)
    return {name: status for name, _, status in pairs if "__mutmut_" in name}


def read_equivalents(root: Path) -> list[dict[str, Any]]:
    """Read which mutants are no mistakes: where, what became what, and why.

    Raises:
        BookError: An entry lacks something.
    """
    wanted = {"function", "was", "became", "why"}
    text = (root / EQUIVALENT).read_text(encoding="utf-8")
    entries = tomllib.loads(text).get("mutant", [])
    for entry in entries:
        if entry.keys() != wanted:
            raise BookError(
                f"each mutant of {EQUIVALENT} must say {', '.join(sorted(wanted))}, "
                f"and one says {', '.join(sorted(entry))}; mend it."
            )
    return entries


def summary(
    found: Mapping[str, str],
    diffs: Mapping[str, str],
    equivalents: list[dict[str, Any]],
) -> dict[str, Any]:
    """Count a sample: what was noticed, and what was not, with reasons.

    Args:
        found: The status of each mutant of the sample.
        diffs: What mutmut shows of those that were not noticed.
        equivalents: Those that are no mistakes.
    """
    reasons = {
        (entry["function"], entry["was"].strip(), entry["became"].strip()): entry["why"]
        for entry in equivalents
    }
    survivors = []
    for name, diff in diffs.items():
        was, became = (" ".join(lines) for lines in changed_lines(diff))
        row = {"mutant": name, "status": found[name], "was": was, "became": became}
        why = reasons.get((function_of(name), was, became))
        survivors.append(row if why is None else row | {"why": why})
    equivalent = sum("why" in row for row in survivors)
    modules: dict[str, Counter[str]] = {}
    for name, status in found.items():
        modules.setdefault(module_of(name), Counter())[status] += 1
    return {
        "planted": len(found) - equivalent,
        "caught": len(found) - len(survivors),
        "timeouts": sum(status == "timeout" for status in found.values()),
        "equivalent": equivalent,
        "modules": {
            name: dict(sorted(counts.items()))
            for name, counts in sorted(modules.items())
        },
        "survivors": survivors,
    }


def changed_lines(diff: str) -> Diff:
    """Return the lines that a diff takes away, and those that it adds."""
    lines = diff.splitlines()
    old = [line[1:].strip() for line in lines if re.match(r"-(?!--)", line)]
    new = [line[1:].strip() for line in lines if re.match(r"\+(?!\+\+)", line)]
    return old, new


def function_of(name: str) -> str:
    """Return where a mutant is: `module:function` or `module:Class.method`."""
    mangled = name.partition("__mutmut_")[0].rpartition(".")[2]  # x_f, xǁCǁm
    return f"{module_of(name)}:{mangled[2:].replace('ǁ', '.')}"


def words(record: Mapping[str, Any]) -> str:
    """Describe the score in words, and name what survived without a reason."""
    lines = [
        f"{row['mutant']} ({row['status']}): {row['was']}  ->  {row['became']}"
        for row in record["survivors"]
        if "why" not in row
    ]
    return "\n".join(
        [
            *lines,
            f"{record['caught']} of {record['planted']} mutants caught, "
            f"{record['equivalent']} more are no mistakes; {FILE} lists what survived.",
        ]
    )
