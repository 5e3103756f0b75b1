"""The page of parity: what was compared with PyTorch and Hugging Face, and how far off.

The rows are those that the tests recorded (`bookkit.checking.parity`); ``make parity``
renews them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bookkit.book.address import files_url
from bookkit.book.files import read_toml
from bookkit.checking.parity.rows import KINDS, SMALLEST, read
from bookkit.publishing.appendix.templates import source_link

Row = Mapping[str, Any]
Words = Mapping[str, Any]
WORDS = "book/appendix/data/parity_words.toml"
PRECISION = {"float32": "single", "float64": "double", "int64": "integers"}
SHORT = {"torch.nn.functional.": "F.", "torch.nn.": "nn.", "torch.optim.": "optim."}
POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def facts(root: Path) -> dict[str, Any]:
    """Return what the page tells."""
    record, words, files = read(root), read_toml(root, WORDS), files_url(root)
    rows = record["rows"]
    families = [_family(each, rows, words, files) for each in words["family"]]
    shown = [family for family in families if family["tables"]]
    return _counts(rows) | {"versions": record["versions"], "families": shown}


def _family(
    family: Mapping[str, Any], rows: list[Row], words: Words, files: str
) -> dict[str, Any]:
    """Return the words and the tables of a family."""
    own = [row for room in family["tests"] for row in rows if _room(row) == room]
    parts = _by_fact(own, words) if family.get("by_fact") else {"": own}
    tables = [
        {"heading": heading} | _table(part, words, files)
        for heading, part in parts.items()
        if part
    ]
    return {"words": ""} | family | {"tables": tables}


def _room(row: Row) -> str:
    """Return the file of a row's test, below tests/ and without its ending."""
    return row["test"].split("::")[0].removeprefix("tests/").removesuffix(".py")


def unplaced(rows: Iterable[Row], words: Words) -> list[str]:
    """List the tests whose rows belong to no family of the page."""
    known = {room for family in words["family"] for room in family["tests"]}
    return sorted({row["test"] for row in rows if _room(row) not in known})


def _counts(rows: list[Row]) -> dict[str, Any]:
    """Return the numbers above the tables."""
    double = [row for row in rows if row["dtype"] == "float64"]
    exact = [row for row in double if _is_tight(row)]
    largest = max(row[k]["difference"] for row in exact for k in KINDS if k in row)
    return {
        "rows": len(rows),
        "tests": len({row["test"] for row in rows}),
        "exact": len(exact),
        "double": len(double),
        "largest": _number(largest),
        "least": {dtype: _number(least) for dtype, least in SMALLEST.items()},
    }


def _is_tight(row: Row) -> bool:
    """Return whether the bounds of a row leave room for roundings in float64 only."""
    measured = [row[kind] for kind in KINDS if kind in row]
    return all(max(one["atol"], one["rtol"]) <= 1e-11 for one in measured)


def _by_fact(rows: list[Row], words: Words) -> dict[str, list[Row]]:
    """Map each fact that tests of several models share to its rows, as a heading."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        fact = _fact(row, words)
        found.setdefault(f"{fact[0].upper()}{fact[1:]}", []).append(row)
    return found


def _fact(row: Row, words: Words) -> str:
    """Return what the name of a row's test says, in words."""
    fact = row["test"].split("::test_")[1].replace("_", " ")
    names = words["names"]
    name = rf"\b({'|'.join(names)})\b"
    return re.sub(name, lambda m: names[m[0]], words["spelled"].get(fact, fact))


def _table(rows: list[Row], words: Words, files: str) -> dict[str, Any]:
    """Return the lines of a table; if two show one pair, each says what is tested."""
    pairs = ((_short(r["component"]), _short(r["reference"]), r["dtype"]) for r in rows)
    is_told = max(Counter(pairs).values()) > 1
    lines = [
        [*_cells(row, files), *([_fact(row, words)] if is_told else [])] for row in rows
    ]
    return {"is_told": is_told, "lines": lines}


def _cells(row: Row, files: str) -> list[str]:
    """Return the cells of a row."""
    file = row["test"].split("::")[0]
    measured = [row.get(kind) for kind in KINDS]
    bounds = list(dict.fromkeys(_bound(one) for one in measured if one))
    shape = (measured[0] or measured[1])["shape"]
    return [
        source_link(f"`{_short(row['component'])}`", file, files),
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
