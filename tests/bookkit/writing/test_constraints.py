"""constraints.txt pins what the packages of requirements.txt bring."""

import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.pins import oldest_python
from bookkit.writing.constraints import HEADER, write_constraints

ROOT = find_root(Path(__file__))
AVAILABLE = [
    ("Named", "1.0", ["Brought>=1", "named", "lib[fast]", "absent; extra == 'x'"]),
    ("Brought", "2.0", []),
    ("Brought", "2.1+cu128", ["named", "nvidia-cublas", "old; python_version < '3'"]),
    ("lib", "3.0", ["quick; extra == 'fast'", "slow; extra == 'slow'"]),
    ("quick", "4.0", []),
    ("slow", "5.0", []),
    ("old", "6.0", []),
    ("nvidia-cublas", "7.0", []),
    ("unrelated", "8.0", []),
    ("strict", "9.0", ["brought<2.1"]),
]


@pytest.fixture
def write(book):
    """Write constraints.txt from the packages of the table above and no others."""
    for name, version, requires in AVAILABLE:
        write_wheel(book, name, version, requires)
    settings = "no-index = true\nfind-links = ['.']\ncache-dir = 'cache'\n"
    (book / "uv.toml").write_text(settings)
    (book / "pyproject.toml").write_text("[project]\nrequires-python = '>=3.11'\n")

    def constraints(requirements):
        (book / "requirements.txt").write_text(requirements)
        write_constraints(book)
        return (book / "constraints.txt").read_text()

    return constraints


def write_wheel(folder, name, version, requires, python=">=3"):
    """Write a package without a module, which says what it brings."""
    lines = [f"Name: {name}", f"Version: {version}", f"Requires-Python: {python}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in requires]
    stem = f"{name.replace('-', '_')}-{version}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        text = "\n".join(["Metadata-Version: 2.1", *lines, "Provides-Extra: fast"])
        wheel.writestr(f"{stem}.dist-info/METADATA", text)


def test_what_is_brought_is_pinned_and_nothing_else(write):
    text = write("# A comment\nNamed==1.0  # why\n\n")
    assert text == f"{HEADER}\nbrought==2.1\nlib==3.0\nquick==4.0\n"


def test_a_pin_stays_as_long_as_it_fits(write, book):
    (book / "constraints.txt").write_text(f"{HEADER}\nbrought==2.0\nslow==5.0\n")
    assert "brought==2.0\nlib==3.0" in write("named==1.0")
    (book / "constraints.txt").write_text(f"{HEADER}\nbrought==2.1\n")
    assert "brought==2.0\nlib==3.0" in write("named==1.0\nstrict==9.0")


def test_a_package_that_is_not_to_be_had_is_an_error_and_changes_nothing(write, book):
    (book / "constraints.txt").write_text(HEADER)
    with pytest.raises(BookError, match="must be found and fit together"):
        write("gone==1.0")
    assert (book / "constraints.txt").read_text() == HEADER


def test_no_version_is_taken_that_needs_a_newer_python_than_the_book(write, book):
    write_wheel(book, "Brought", "2.2", [], python=">=3.11.5")
    assert "brought==2.1\n" in write("named==1.0")


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
