"""Hold what is known of package, book and tests, each read once."""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from bookkit.book.address import files_url
from bookkit.checking.rules.pages import read_pages
from bookkit.publishing.maps.chapters import Place, find_citations, find_places
from bookkit.publishing.maps.package import PACKAGE, Package, Thing
from bookkit.publishing.maps.papers import read_papers
from bookkit.publishing.maps.tests import find_tests, list_tests, tests_of


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
