"""constraints.txt pins what the packages of requirements.txt bring."""

from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest

from bookkit.constraints import HEADER, constraints, write_constraints
from bookkit.notebooks import NotebookError

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
    with pytest.raises(NotebookError, match="must be installed, and gone is not; run"):
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
