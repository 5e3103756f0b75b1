"""What a notebook of the book must be, besides JSON: valid, flat, unambiguous."""

import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

from nbformat.validator import iter_validate

# The largest notebook of the book has less than one megabyte.
MAX_BYTES = 10_000_000
# What one cell may show, in characters: far more than a page could take.
MAX_SHOWN = 5_000_000
# Python and browsers follow nested lists only so far; a notebook needs a dozen levels.
MAX_DEPTH = 50
# The metadata of a cell that the book's tools read, and the types that they rely on.
_METADATA = {
    "draw": str,
    "mystnb": dict,
    "mystnb.figure": dict,
    "mystnb.figure.name": str,
    "mystnb.figure.caption": str,
    "mystnb.image": dict,
    "mystnb.image.alt": str,
    "rests_on": list,
}


def parse_strictly(text: str) -> object:
    """Read JSON that every reader reads alike.

    Raises:
        ValueError: It is no JSON, names a value twice, holds what only Python takes
            for a number, or nests too deeply.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_unambiguous, parse_constant=_refuse_constant
        )
    except RecursionError:
        raise ValueError("it nests too deeply") from None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dictionary of pairs, whose names must differ."""
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it gives {twice!r} twice in one object")
    return made


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def shown_by(message: Mapping[str, Any]) -> int:
    """Count the characters that a message of a kernel shows."""
    return len(str(message["content"]))


def find_invalidity(document: object) -> str | None:
    """Return what keeps a document from being a valid notebook 4.5, or None."""
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        return "must be a notebook with a list of cells; restore it."
    version = document.get("nbformat"), document.get("nbformat_minor")
    if version != (4, 5):
        return (
            f"must have nbformat 4.5, and has {version[0]}.{version[1]}; save it "
            "again with a current Jupyter."
        )
    if is_deep(document):
        return f"must nest at most {MAX_DEPTH} levels, and nests deeper; restore it."
    for error in iter_validate(document, version=4, version_minor=5):
        place = ".".join(map(str, error.absolute_path)) or "its top"
        fault = error.message.splitlines()[0][:200]
        return (
            f"is no valid notebook: {fault} (at {place}); save it again with a current "
            "Jupyter."
        )
    return _find_fault_of_cells(document["cells"]) or _find_fault_of_text(document)


def is_deep(document: object) -> bool:
    """Return whether lists and objects stand within each other too often."""
    level = [document]
    for _ in range(MAX_DEPTH):
        level = [
            part
            for whole in level
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True


def _find_fault_of_cells(cells: list[dict[str, Any]]) -> str | None:
    """Return what is wrong with the ids and the metadata of cells that are valid."""
    if not cells:
        return "must have cells, and has none; write its title."
    ids = [cell["id"] for cell in cells]
    repeated = sorted({identity for identity in ids if ids.count(identity) > 1})
    if repeated:
        return f"must have unique cell ids, and repeats {', '.join(repeated)}."
    faults = (_find_fault_of_metadata(cell["metadata"]) for cell in cells)
    named = (f"has cell {n}, where {f}" for n, f in enumerate(faults, start=1) if f)
    return next(named, None)


def _find_fault_of_metadata(metadata: dict[str, Any]) -> str | None:
    """Return which of the metadata that the tools read has the wrong type."""
    for path, kind in _METADATA.items():
        *above, last = path.split(".")
        holder = reduce(lambda found, name: found.get(name, {}), above, metadata)
        if last in holder and not isinstance(holder[last], kind):
            words = "a text" if kind is str else "an object"
            return f"the metadata {path!r} must be {words}, and is not; mend it."
    return None


def _find_fault_of_text(document: dict[str, Any]) -> str | None:
    """Check whether a notebook holds what no file of JSON can hold."""
    try:
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except ValueError:  # half of a character, or NaN
        return "must hold what JSON in UTF-8 can hold, and does not; write it anew."
    return None
