"""Find the tests of an object: the files whose code names it."""

import ast
import re
from functools import cache
from pathlib import Path

from bookkit.publishing.maps.package import Package, Thing, bindings
from bookkit.publishing.maps.usage import used


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
