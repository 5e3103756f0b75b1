"""What a comparison measured, merged into the rows of a table and kept as JSON.

A record is one comparison in one test: what was compared with what, the largest
absolute difference and the bound. A row merges the records of one test, pair and dtype.
"""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError

FILE = "book/appendix/data/parity.json"
KEY = ("test", "component", "reference", "dtype")
KINDS = ("forward", "gradient")
# Below these, differences are the last bits of a machine.
SMALLEST = {"float64": 1e-15, "float32": 1e-7}

Record = Mapping[str, Any]
Row = dict[str, Any]


def rounded_up(difference: float, dtype: str, atol: float, rtol: float) -> float:
    """Round a difference up to a power of ten, so that its last bits do not show.

    The absolute bound is the most that is recorded, if there is no relative one.

    Args:
        difference: The largest absolute difference.
        dtype: Of what was compared; differences of its last bits count as one.
        atol: The absolute bound; with `rtol` zero too, the numbers must be equal.
        rtol: The relative bound.
    """
    if atol == rtol == 0:
        return 0.0
    smallest = SMALLEST.get(dtype, 0.0)
    if difference <= smallest:
        return smallest
    # Read from text: 10.0**-5 is not the nearest number to 1e-5 everywhere.
    rounded = float(f"1e{math.ceil(round(math.log10(difference), 9))}")
    # What is within its bound must not be recorded above it.
    return min(rounded, atol) if rtol == 0 and difference <= atol else rounded


def merged(records: Iterable[Record]) -> list[Row]:
    """Merge records into rows: the largest difference, the largest shape, one bound.

    Raises:
        ValueError: Two records of one row have different bounds.
    """
    rows: dict[tuple, Row] = {}
    for record in records:
        key = tuple(record[name] for name in KEY)
        row = rows.setdefault(key, dict(zip(KEY, key, strict=True)))
        measured = {k: record[k] for k in ("shape", "difference", "atol", "rtol")}
        measured["difference"] = rounded_up(
            record["difference"], record["dtype"], record["atol"], record["rtol"]
        )
        earlier = row.get(record["what"])
        row[record["what"]] = _joined(earlier, measured, key) if earlier else measured
    return [rows[key] for key in sorted(rows)]


def _joined(one: Row, other: Row, key: tuple) -> Row:
    """Join two measurements of one row."""
    if _bound(one) != _bound(other):
        raise ValueError(
            f"{key[0]} must have one bound for {key[1]} in {key[3]}, and has "
            f"{_bound(one)} and {_bound(other)}; use the tighter one."
        )
    shape = max(one["shape"], other["shape"], key=lambda s: (math.prod(s), s))
    difference = max(one["difference"], other["difference"])
    return one | {"shape": shape, "difference": difference}


def _bound(measured: Mapping[str, Any]) -> tuple[float, float]:
    return measured["atol"], measured["rtol"]


def without_differences(row: Row) -> Row:
    """Return what of a row must be the same on every machine."""
    row = dict(row)
    for kind in KINDS:
        if kind in row:
            row[kind] = {k: v for k, v in row[kind].items() if k != "difference"}
    return row


def differing_tests(records: Iterable[Record], rows: Iterable[Row]) -> list[str]:
    """List the tests, of those that made records, whose rows are not those kept."""
    made, rows = merged(records), list(rows)
    names = sorted({row["test"] for row in made})
    return [name for name in names if _of(name, made) != _of(name, rows)]


def _of(name: str, rows: Iterable[Row]) -> list[Row]:
    return [without_differences(row) for row in rows if row["test"] == name]


def read(root: Path) -> dict[str, Any]:
    """Read the recorded run: ``{"versions": {...}, "rows": [...]}``.

    Raises:
        BookError: The file is missing or broken.
    """
    try:
        return json.loads((root / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BookError(
            f"{FILE} must hold the recorded comparisons, and cannot be read: {error}; "
            "run 'make parity'."
        ) from error


def text_of(versions: Mapping[str, str], records: Iterable[Record]) -> str:
    """Return the file's text: one row a line, so that a change is a line."""
    rows = ",\n".join(f"  {json.dumps(row)}" for row in merged(records))
    head = json.dumps(dict(sorted(versions.items())))
    return f'{{\n "versions": {head},\n "rows": [\n{rows}\n ]\n}}\n'
