"""The page of parity: what was compared with PyTorch and Hugging Face, and how far off.

The rows are those that the tests recorded (`bookkit.checking.parity`); ``make parity``
renews them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bookkit.checking.parity.rows import KINDS, SMALLEST, read
from bookkit.publishing.appendix.parity_words import (
    CLOSING,
    FAMILIES,
    INTRODUCTION,
    NAMES,
    SPELLED,
    WORDS,
)
from bookkit.publishing.appendix.tables import counted, source_link, table, unwrapped

Row = Mapping[str, Any]
HEAD = ("ours", "theirs", "type", "forward", "gradient", "bound", "shape")
PRECISION = {"float32": "single", "float64": "double", "int64": "integers"}
SHORT = {"torch.nn.functional.": "F.", "torch.nn.": "nn.", "torch.optim.": "optim."}
NAME = re.compile(rf"\b({'|'.join(NAMES)})\b")
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def page(root: Path) -> str:
    """Return the page of parity."""
    record = read(root)
    rows = record["rows"]
    sections = [_introduction(rows, record["versions"])]
    for family, rooms in FAMILIES.items():
        own = [row for room in rooms for row in rows if _room(row) == room]
        if own:
            words = f"\n{WORDS[family]}\n" if family in WORDS else ""
            write = _by_fact if family == "Whole models" else _table
            sections.append(f"## {family}\n{words}\n{write(own, root)}\n")
    return "\n".join([*sections, unwrapped(CLOSING)])


def _room(row: Row) -> str:
    """Return the file of a row's test, below tests/ and without its ending."""
    return row["test"].split("::")[0].removeprefix("tests/").removesuffix(".py")


def unplaced(rows: Iterable[Row]) -> list[str]:
    """List the tests whose rows belong to no family of the page."""
    known = {room for rooms in FAMILIES.values() for room in rooms}
    return sorted({row["test"] for row in rows if _room(row) not in known})


def _introduction(rows: list[Row], versions: Mapping[str, str]) -> str:
    """Return the words above the tables, with their numbers."""
    double = [row for row in rows if row["dtype"] == "float64"]
    exact = [row for row in double if _is_tight(row)]
    largest = max(row[k]["difference"] for row in exact for k in KINDS if k in row)
    return unwrapped(INTRODUCTION).format(
        rows=counted(len(rows), "row"),
        tests=counted(len({row["test"] for row in rows}), "test"),
        exact=len(exact),
        all_double=counted(len(double), "row"),
        coarse=len(double) - len(exact),
        largest=_number(largest),
        **{PRECISION[dtype]: _number(least) for dtype, least in SMALLEST.items()},
        **versions,
    )


def _is_tight(row: Row) -> bool:
    """Return whether the bounds of a row leave room for roundings in float64 only."""
    measured = [row[kind] for kind in KINDS if kind in row]
    return all(max(one["atol"], one["rtol"]) <= 1e-11 for one in measured)


def _by_fact(rows: list[Row], root: Path) -> str:
    """Return a table for each fact that tests of several models share."""
    facts: dict[str, list[Row]] = {}
    for row in rows:
        facts.setdefault(_fact(row), []).append(row)
    return "\n\n".join(
        f"### {fact[0].upper()}{fact[1:]}\n\n{_table(own, root)}"
        for fact, own in facts.items()
    )


def _fact(row: Row) -> str:
    """Return what the name of a row's test says, in words."""
    fact = row["test"].split("::test_")[1].replace("_", " ")
    return NAME.sub(lambda found: NAMES[found[0]], SPELLED.get(fact, fact))


def _table(rows: list[Row], root: Path) -> str:
    """Return a table; where rows show one pair, it says what each tests."""
    lines = [_cells(row, root) for row in rows]
    pairs = Counter(map(_pair, rows))
    if max(pairs.values()) == 1:
        return table(HEAD, lines, "l" * len(HEAD))
    lines = [[*line, _fact(row)] for line, row in zip(lines, rows, strict=True)]
    return table((*HEAD, "what is tested"), lines, "l" * (len(HEAD) + 1))


def _pair(row: Row) -> tuple[str, str, str]:
    """Return the names of a row as a reader sees them."""
    return _short(row["component"]), _short(row["reference"]), row["dtype"]


def _cells(row: Row, root: Path) -> list[str]:
    """Return the cells of a row."""
    file = row["test"].split("::")[0]
    measured = [row.get(kind) for kind in KINDS]
    bounds = list(dict.fromkeys(_bound(one) for one in measured if one))
    shape = (measured[0] or measured[1])["shape"]
    return [
        source_link(f"`{_short(row['component'])}`", file, root),
        f"`{_short(row['reference'])}`",
        PRECISION[row["dtype"]],
        *(_difference(one) if one else "" for one in measured),
        "; gradient ".join(bounds),
        "\N{MULTIPLICATION SIGN}".join(map(str, shape)) or "1",
    ]


def _short(name: str) -> str:
    """Shorten a dotted name: from the class on, or to its last part."""
    name, _, extra = name.partition(" ")
    *modules, last = name.split(".")
    names = [part for part in modules if part[:1].isupper()]
    start = next((SHORT[m] for m in SHORT if name.startswith(m)), "")
    return start + ".".join([*names, last]) + (extra and f" {extra}")


def _difference(measured: Row) -> str:
    return _number(measured["difference"]) if measured["difference"] else "equal"


def _bound(measured: Row) -> str:
    """Write a bound: absolute, relative, or both."""
    atol, rtol = measured["atol"], measured["rtol"]
    if not atol and not rtol:
        return "equal"
    relative = "1 + |x|" if atol == rtol else f"{_number(rtol)} |x|"
    if not rtol:
        words = _number(atol)
    elif not atol:
        words = relative
    elif atol == rtol:
        words = f"{_number(atol)} ({relative})"
    else:
        words = f"{_number(atol)} + {relative}"
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def _number(value: float) -> str:
    """Write a number with one digit as a power of ten, with a factor if need be."""
    digit, _, power = f"{value:.0e}".partition("e")
    factor = "" if digit == "1" else f"{digit}\N{MULTIPLICATION SIGN}"
    return f"{factor}10{str(int(power)).translate(POWERS)}"
