"""Read the table of papers: what each says, and where it is computed and tested."""

from dataclasses import dataclass
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import read_toml

TABLE = "book/appendix/data/paper_to_code.toml"
_PAPER = {"key", "title", "missing", "entry"}
_ENTRY = {"what", "where", "formula", "equation", "objects", "tests", "differs"}
_NEEDED = {"what", "where", "objects", "tests"}


@dataclass(frozen=True)
class Entry:
    """One statement of a paper and its counterparts.

    Attributes:
        what: The statement in a few words.
        where: Section and number in the paper, or "".
        objects: Addresses of what computes it, `transformer.layers.norms:RMSNorm`.
        tests: What holds it to that, `tests/layers/test_norms.py::test_…`.
        formula: The formula in the paper's letters, or "".
        equation: The name of the formula in a chapter, or "".
        differs: How the package deviates, or "".
    """

    what: str
    where: str
    objects: tuple[str, ...]
    tests: tuple[str, ...]
    formula: str = ""
    equation: str = ""
    differs: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper, what is taken from it, and what is not."""

    key: str
    title: str
    entries: tuple[Entry, ...]
    missing: tuple[str, ...] = ()


def read_papers(root: Path) -> list[Paper]:
    """Read the table of papers.

    Raises:
        BookError: The table is no TOML, or a paper or an entry is incomplete.
    """
    return [_paper(fields) for fields in read_toml(root, TABLE)["paper"]]


def _paper(fields: dict) -> Paper:
    """Read one paper."""
    name = fields.get("key", "a paper without key")
    _check(fields, _PAPER, {"key", "title", "entry"}, name)
    entries = tuple(_entry(entry, name) for entry in fields["entry"])
    missing = tuple(fields.get("missing", ()))
    return Paper(fields["key"], fields["title"], entries, missing)


def _entry(fields: dict, name: str) -> Entry:
    """Read one entry and write its short names out."""
    _check(fields, _ENTRY, _NEEDED, f"{name}, {fields.get('what', 'an entry')}")
    objects = tuple(f"transformer.{address}" for address in fields["objects"])
    tests = tuple(
        "tests/{}.py::test_{}".format(*t.split("::")) for t in fields["tests"]
    )
    return Entry(**(fields | {"objects": objects, "tests": tests}))


def _check(fields: dict, known: set[str], needed: set[str], name: str) -> None:
    """Check that no field is unknown, missing or empty."""
    unknown = sorted(set(fields) - known)
    lacking = sorted(n for n in needed if not fields.get(n) and n != "where")
    if unknown or lacking or not needed <= set(fields):
        raise BookError(
            f"{TABLE}, {name}: must have {', '.join(sorted(needed))} and may have "
            f"{', '.join(sorted(known - needed))}; got {', '.join(sorted(fields))}."
        )
