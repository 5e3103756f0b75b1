"""constraints.txt pins what the packages of requirements.txt bring."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.pins import oldest_python
from bookkit.writing.constraints import HEADER, constraints, write_constraints

ROOT = find_root(Path(__file__))
INSTALLED = {
    "Named": ("1.0", ["Brought>=1", "named", "lib[fast]", "absent; extra == 'x'"]),
    "Brought": ("2.1+cu128", ["named", "nvidia-cublas", "old; python_version < '3'"]),
    "lib": ("3.0", ["quick; extra == 'fast'", "slow; extra == 'slow'"]),
    "quick": ("4.0", []),
    "slow": ("5.0", []),
    "old": ("6.0", []),
    "nvidia-cublas": ("7.0", []),
    "unrelated": ("8.0", []),
}


def find(name):
    """Look a package up in the table above."""
    for known, (version, requires) in INSTALLED.items():
        if known.lower() == name.lower():
            return SimpleNamespace(name=known, version=version, requires=requires)
    raise PackageNotFoundError(name)


def test_what_is_brought_is_pinned_and_nothing_else():
    text = constraints("# A comment\nnamed==1.0  # why\n\n", find)
    assert text == f"{HEADER}\nBrought==2.1\nlib==3.0\nquick==4.0\n"


def test_a_package_that_is_not_installed_is_an_error():
    with pytest.raises(BookError, match="must be installed, and gone is not; run"):
        constraints("gone==1.0", find)


def test_an_optional_package_that_is_not_installed_is_left_out():
    def find_without_quick(name):
        return find("gone" if name == "quick" else name)

    text = constraints("named==1.0", find_without_quick)
    assert text == f"{HEADER}\nBrought==2.1\nlib==3.0\n"


def test_the_file_is_written_from_this_environment(book):
    (book / "requirements.txt").write_text("matplotlib==3\n")
    write_constraints(book)
    lines = (book / "constraints.txt").read_text().splitlines()
    names = [line.partition("==")[0] for line in lines[1:]]
    assert lines[0] == HEADER
    assert "numpy" in names
    assert "matplotlib" not in names


def test_no_pinned_package_needs_a_newer_python_than_the_book():
    # Debian 12 has 3.11.2, and some packages ask for 3.11.5.
    oldest = f"{oldest_python(ROOT)}.0"
    files = [ROOT / name for name in ("requirements.txt", "constraints.txt")]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    pins = [Requirement(words) for line in lines if (words := line.partition("#")[0])]
    found = [(pin, distribution(pin.name)) for pin in pins]
    pinned = [package for pin, package in found if package.version in pin.specifier]
    assert len(pinned) >= len(pins) // 2  # with other versions, not all are installed
    asked = {p.name: p.metadata.get("Requires-Python", ">=3") for p in pinned}
    assert {n: a for n, a in asked.items() if oldest not in SpecifierSet(a)} == {}
