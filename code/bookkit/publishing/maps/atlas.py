"""Hold what is known of package, book, tests and papers, each read once.

The table of papers says what each states, and where it is computed and tested.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from bookkit.book.address import files_url
from bookkit.book.errors import BookError
from bookkit.book.files import read_toml
from bookkit.checking.rules.pages import read_pages
from bookkit.publishing.maps.chapters import Place, find_citations, find_places, used
from bookkit.publishing.maps.package import PACKAGE, Package, Thing, bindings

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


@dataclass
class Atlas:
    """The package, the book and the tests, each with the way to the others."""

    root: Path

    @cached_property
    def package(self) -> Package:
        """Read the package."""
        return Package(self.root / "code")

    @cached_property
    def places(self) -> dict[str, list[Place]]:
        """Find the chapters of each object."""
        return find_places(self.root, self.package)

    @cached_property
    def citations(self) -> dict[str, list[Place]]:
        """Find the chapters that cite each work."""
        return find_citations(self.root)

    @cached_property
    def tests(self) -> dict[str, list[str]]:
        """Find the test files of each object."""
        return find_tests(self.root, self.package)

    @cached_property
    def test_names(self) -> set[str]:
        """List every test as `tests/file.py::test_name`."""
        return list_tests(self.root)

    @cached_property
    def helpers(self) -> set[str]:
        """List what is not exported, and yet drawn in a chapter or named by a paper."""
        named = {a for a, places in self.places.items() if any(p.drawn for p in places)}
        for paper in read_papers(self.root):
            named |= {a for entry in paper.entries for a in entry.objects}
        things = self.package.things
        return {a for a in named if a in things and _is_helper(self.package, things[a])}

    @cached_property
    def equations(self) -> dict[str, str]:
        """Map the name of each equation of the chapters to its page."""
        pages = read_pages(self.root)
        return {
            label: page.path.relative_to(self.root / "book").as_posix()
            for page in pages
            for label in page.labels
        }

    @cached_property
    def files_url(self) -> str:
        """Return the address under which the repository shows its files."""
        return files_url(self.root)

    def nearest_tests(self, thing: Thing) -> list[str]:
        """Return the test files of an object; for a mere type, those of its module."""
        if found := tests_of(thing, self.tests):
            return found
        in_module = [
            t for t in self.package.things.values() if t.module == thing.module
        ]
        return list(
            dict.fromkeys(p for t in in_module for p in tests_of(t, self.tests))
        )


@cache
def read_atlas(root: Path) -> Atlas:
    """Return what is known of a book, which all that ask in one process share."""
    return Atlas(root)


def _is_helper(package: Package, thing: Thing) -> bool:
    """Return whether an object of the package itself is defined, but not exported."""
    is_ours = thing.module.startswith(f"{PACKAGE}.") and "." not in thing.name
    return is_ours and thing not in package.exports.values()


def list_tests(root: Path) -> set[str]:
    """List every test of the repository as `tests/file.py::test_name`."""
    return {
        f"{path.relative_to(root).as_posix()}::{name}"
        for path in (root / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)
    }


def find_tests(root: Path, package: Package) -> dict[str, list[str]]:
    """Map each address to the test files that name the object, the nearest first."""
    found: dict[str, set[str]] = {}
    for path, tree in _test_files(root):
        for address in used(tree, package, bindings(tree)):
            found.setdefault(address, set()).add(path)
    return {
        address: sorted(paths, key=lambda path: (_distance(path, address), path))
        for address, paths in found.items()
    }


def tests_of(thing: Thing, tests: dict[str, list[str]]) -> list[str]:
    """Return the test files of an object; a method has those of its class."""
    owner = f"{thing.module}:{thing.name.partition('.')[0]}"
    return tests.get(thing.address) or tests.get(owner, [])


@cache
def _test_files(root: Path) -> list[tuple[str, ast.Module]]:
    """Read the files of tests, named from the root, once in a process."""
    paths = sorted((root / "tests").rglob("test_*.py"))
    return [
        (path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8")))
        for path in paths
    ]


def _distance(path: str, address: str) -> int:
    """Return how far a test file lies from a module: 0 is its mirror."""
    package, *parts = address.partition(":")[0].split(".")
    *folders, module = parts or [package]  # the package itself, too, has a test
    folder = "/".join(["tests", *folders])
    file = Path(path)
    if file.parent.as_posix() == folder:
        return 0 if file.stem == f"test_{module}" else 1
    return 2
