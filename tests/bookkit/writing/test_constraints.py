"""constraints.txt pins what is installed, with the hashes of all its files."""

import re
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.writing.constraints import (
    ALONE,
    HEADER,
    oldest_python,
    pins,
    write_constraints,
)

ROOT = find_root(Path(__file__))
LISTS = sorted(ROOT.glob("constraints/*.txt"))
AVAILABLE = [
    ("Named", "1.0", ["Brought>=1", "named", "lib[fast]", "absent; extra == 'x'"]),
    ("Brought", "2.0", []),
    ("Brought", "2.1", ["named", "nvidia-cublas", "old; python_version < '3'"]),
    ("lib", "3.0", ["quick; extra == 'fast'", "slow; extra == 'slow'"]),
    ("quick", "4.0", ["elsewhere; sys_platform == 'win32'"]),
    ("slow", "5.0", []),
    ("old", "6.0", []),
    ("nvidia-cublas", "7.0", []),
    ("unrelated", "8.0", []),
    ("strict", "9.0", ["brought<2.1"]),
    ("elsewhere", "10.0", []),
    ("model", "11.0", ["unrelated"]),
    ("torch", "12.0", []),
    ("special", "13.0+cu128", []),
]
PYPROJECT = """\
[project]
name = 'book'
version = '1'
requires-python = '>=3.11'
[dependency-groups]
tool = ["brought", "unrelated"]
rapid = ["named"]
minilm = ["model==11.0"]
"""


@pytest.fixture
def write(book):
    """Write constraints.txt from the packages of the table above and no others."""
    for name, version, requires in AVAILABLE:
        write_wheel(book, name, version, requires)
    settings = "no-index = true\nfind-links = ['.']\ncache-dir = 'cache'\n"
    (book / "uv.toml").write_text(settings)
    (book / "pyproject.toml").write_text(PYPROJECT)

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
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


def shown(text):
    """Return the pins of a list without their hashes."""
    return [line.removesuffix(" \\") for line in text.splitlines() if line[0] != " "]


def test_lists_have_what_is_named_and_brought_for_every_system(write, book):
    text = write("# A comment\nNamed==1.0  # why\n\n")
    windows = "elsewhere==10.0 ; sys_platform == 'win32'"
    pinned = ["brought==2.1", windows, "lib==3.0", "named==1.0", "quick==4.0"]
    assert shown(text) == [HEADER, *pinned]
    cuda, rapid, model = (
        shown((book / f"constraints/{name}.txt").read_text())
        for name in ("cuda", "rapid", "minilm")
    )
    assert cuda == [HEADER, "nvidia-cublas==7.0"]  # what PyTorch asks for on a GPU
    assert "lib[fast]==3.0" in rapid  # as pip asks for an extra with hashes
    assert model == [HEADER, "model==11.0"]  # without what it asks for


def test_each_group_has_a_list_whose_versions_are_those_of_the_book(write, book):
    write("named==1.0\nstrict==9.0")
    text = (book / "constraints/tool.txt").read_text()
    assert shown(text) == [HEADER, "brought==2.0", "unrelated==8.0"]


def test_a_package_that_is_not_to_be_had_is_an_error_and_changes_nothing(write, book):
    (book / "constraints.txt").write_text(HEADER)
    with pytest.raises(BookError, match="must be found and fit together"):
        write("gone==1.0")
    assert (book / "constraints.txt").read_text() == HEADER


def test_a_build_that_only_some_index_has_is_an_error(write):
    with pytest.raises(BookError, match=r"uv has found special==13.0\+cu128, a build"):
        write("special==13.0")


def requirements_of(file):
    """Read a list as pip does: each requirement, and the hashes of its files."""
    for entry in re.split(r"\n(?=\S)", file.read_text("utf-8").strip()):
        if not entry.startswith("#"):
            pin, *hashes = re.split(r" \\\n    --hash=sha256:", entry)
            yield Requirement(pin), hashes


@facts("file", [ROOT / "constraints.txt", *LISTS], ids=lambda f: f.stem)
def test_each_requirement_has_one_version_and_a_hash(file):
    read = list(requirements_of(file))
    assert read
    for requirement, hashes in read:
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in hashes)


def test_constraints_have_what_requirements_ask_for():
    listed = dict(map(pinned, requirements_of(ROOT / "constraints.txt")))
    asked = {canonicalize_name(name): version for name, version in pins(ROOT).items()}
    assert {name: listed.get(name) for name in asked} == asked  # run 'make constraints'


def pinned(read):
    """Return the name and the version of a requirement."""
    requirement, _ = read
    version = str(requirement.specifier).removeprefix("==")
    return canonicalize_name(requirement.name), version


def test_each_group_has_a_list_of_what_it_asks_for():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    assert {f.stem for f in LISTS} == {*groups, "cuda", "torch-cpu"}
    assert set(ALONE) <= set(groups)
    for name, asked in groups.items():
        listed = dict(map(pinned, requirements_of(ROOT / f"constraints/{name}.txt")))
        for requirement in map(Requirement, asked):
            assert listed[requirement.name] in requirement.specifier


def test_packages_have_one_version_in_all_lists():
    found = {}
    for file in (ROOT / "constraints.txt", *LISTS):
        for name, version in map(pinned, requirements_of(file)):
            found.setdefault(name, set()).add(version.removesuffix("+cpu"))
    assert {name: v for name, v in found.items() if len(v) > 1} == {}


def test_builds_for_cpus_are_listed_for_every_supported_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    [version] = [v for name, v in pins(ROOT).items() if name == "torch"]
    for python in pythons:
        here = {"python_version": python, "sys_platform": "linux"}
        found = [
            (requirement, hashes)
            for requirement, hashes in requirements_of(
                ROOT / "constraints/torch-cpu.txt"
            )
            if requirement.marker.evaluate(here | {"platform_machine": "x86_64"})
        ]
        [(requirement, hashes)] = found
        assert str(requirement.specifier) == f"=={version}+cpu"
        assert len(hashes) == 1


def test_no_list_says_where_packages_come_from():
    for file in (ROOT / "constraints.txt", *LISTS):
        assert not re.search(r"://|--(extra-)?index|--find", file.read_text("utf-8"))


def test_no_pinned_package_needs_a_newer_python_than_the_book():
    # Debian 12 has 3.11.2, and some packages ask for 3.11.5.
    oldest = f"{oldest_python(ROOT)}.0"
    asked = [pin for pin, _ in requirements_of(ROOT / "constraints.txt")]
    here = [pin for pin in asked if not pin.marker or pin.marker.evaluate()]
    found = [(pin, distribution(pin.name)) for pin in here]
    pinned = [package for pin, package in found if package.version in pin.specifier]
    assert len(pinned) >= len(here) // 2  # with other versions, not all are installed
    asked = {p.name: p.metadata.get("Requires-Python", ">=3") for p in pinned}
    assert {n: a for n, a in asked.items() if oldest not in SpecifierSet(a)} == {}
