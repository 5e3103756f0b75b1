"""A release that does not fit together is stopped in one sentence."""

import ast
import io
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import distribution
import pytest

from bookkit.checking.facts import facts

CHANGELOG = "# C\n\n## [Unreleased]\n\n{coming}## [0.2.0] - 2026-12-01\n\n- `a`.\n"
CITATION = 'version: 0.2.0\ndate-released: "2026-12-01"\n'
FILES = {
    "CHANGELOG.md": CHANGELOG.format(coming=""),
    "CITATION.cff": CITATION,
    "code/transformer/__init__.py": '__version__ = "0.2.0"\n',
    "code/transformer/py.typed": "",
    "code/chapters/a/b.json": "{}\n",
    "tests/release/public_names.txt": "# What 0.2.0 promises; x\n",
}
WHEEL, SDIST = "tested_transformer-0.2.0-py3-none-any.whl", "tested_transformer-0.2.0"
CODE = ("transformer/__init__.py", "transformer/py.typed", "chapters/a/b.json")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository in which all fits together."""
    root = tmp_path / "root"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True)
    monkeypatch.setattr(distribution, "ROOT", root)
    return root


def build(folder, *, code=CODE, beside=(), version="0.2.0"):
    """Write a wheel and an sdist as setuptools names their files."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        for name in code:
            wheel.writestr(name, "")
        about = f"Metadata-Version: 2.4\nVersion: {version}\n"
        wheel.writestr("tested_transformer-0.2.0.dist-info/METADATA", about)
    with tarfile.open(folder / f"{SDIST}.tar.gz", "w:gz") as sdist:
        inside = [f"code/{name}" for name in CODE] + ["PKG-INFO", *beside]
        for name in [*inside, "code/tested_transformer.egg-info/SOURCES.txt"]:
            sdist.addfile(tarfile.TarInfo(f"{SDIST}/{name}"), io.BytesIO())
    return folder


def test_what_the_repository_says_of_its_version_fits_together():
    package = (distribution.ROOT / "code/transformer/__init__.py").read_text("utf-8")
    assert f'__version__ = "{distribution.find_version()}"' in package


def test_what_fits_is_told_with_its_size(root, tmp_path, capsys):
    folder = str(build(tmp_path / "dist"))
    assert distribution.main(["check", folder, "--tag", "v0.2.0"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{WHEEL}: 0.00 MB",
        f"{SDIST}.tar.gz: 0.00 MB",
    ]


@facts(
    "name, text, tag, said",
    [
        ("CITATION.cff", CITATION.replace("12-01", "11-01"), "", "0.2.0 of 2026-12-01"),
        (
            "CITATION.cff",
            CITATION.replace("0.2", "0.1"),
            "",
            "CITATION.cff must name 0",
        ),
        ("CHANGELOG.md", "## [0.2.0] - 2026-12-01\n## [x]\n", "", r"begins with \[0.2"),
        ("CHANGELOG.md", "## [Unreleased]\n## [0.2.0]\n", "", "with its day, and has"),
        (
            "code/transformer/__init__.py",
            '__version__ = "0.3.0"',
            "",
            r"have \[0.3.0\]",
        ),
        ("LICENSE", "", "v0.3.0", "The tag must be v0.2.0, and is v0.3.0"),
        ("LICENSE", "", "0.2.0", "The tag must be v0.2.0, and is 0.2.0"),
        (
            "CHANGELOG.md",
            CHANGELOG.format(coming="- New.\n\n"),
            "v0.2.0",
            r"and has some under \[Unreleased\]",
        ),
        (
            "tests/release/public_names.txt",
            "# What 0.1.0 promises; x\n",
            "v0.2.0",
            "must be that of 0.2.0, and begins '# What 0.1.0",
        ),
    ],
)
def test_a_version_that_is_not_the_same_everywhere_is_named(
    root, name, text, tag, said
):
    before = (root / name).read_bytes() if (root / name).exists() else b""
    (root / name).write_text(text, "utf-8")
    try:
        with pytest.raises(distribution.ReleaseError, match=said):
            distribution.find_version(tag)
        if tag and name != "LICENSE":
            assert distribution.find_version() == "0.2.0"  # between two releases
    finally:
        (root / name).write_bytes(before)


@facts(
    "changes, said",
    [
        ({"code": CODE[:2]}, "lacks chapters/a/b.json; pyproject.toml lists kinds"),
        ({"code": (*CODE, "bookkit/a.py")}, "whl must not hold bookkit/a.py"),
        ({"code": (*CODE, "chapters/a/old.py")}, "must not hold chapters/a/old.py"),
        ({"beside": ["tests/test_a.py"]}, "tar.gz must not hold tests/test_a.py"),
        ({"beside": ["code/bookkit/a.py"]}, "tar.gz must not hold bookkit/a.py"),
        ({"version": "0.1.0"}, "must be of version 0.2.0, and is of 0.1.0"),
    ],
)
def test_a_file_too_many_or_too_few_is_named(root, tmp_path, capsys, changes, said):
    folder = build(tmp_path / "dist", **changes)
    assert distribution.main(["check", str(folder)]) == 1
    assert said in capsys.readouterr().err


@facts("left", [(), (WHEEL,), (WHEEL, f"{SDIST}.tar.gz", "older-0.1.0.tar.gz")])
def test_a_folder_without_both_or_with_more_is_named(root, tmp_path, left):
    for name in left:
        (tmp_path / name).touch()
    with pytest.raises(distribution.ReleaseError, match=r"and holds .*run: make dist"):
        distribution.find_files(tmp_path, "0.2.0")


def test_what_its_tests_import_is_installed_with_it():
    root = distribution.ROOT
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    asked = [*project["dependencies"], *distribution.TOOLS]
    asked += [name for x in distribution.EXTRAS.split(",") for name in optional[x]]
    installed = {re.match(r"[\w-]+", name)[0].lower() for name in asked}
    ours = {"transformer", "chapters", "bookkit"}
    tests = [root / "tests" / name for name in (*distribution.TESTS, "conftest.py")]
    files = [f for t in tests for f in ([t] if t.is_file() else t.rglob("*.py"))]
    assert len(files) > 80
    for path in files:
        found = {*imported(path)} - sys.stdlib_module_names - ours
        assert path.name == distribution.LEFT_OUT or found <= installed, path


def imported(path):
    """Yield the packages that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [alias.name for alias in getattr(node, "names", [])]
        if isinstance(node, ast.Import):
            yield from (name.partition(".")[0] for name in names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_what_uses_the_wheel_holds_here_but_for_where_it_is(tmp_path):
    listed = Path(__file__).with_name("public_names.txt")
    use = distribution.USE.replace("here.is_relative_to(sys.prefix)", "here")
    command = [sys.executable, "-c", use, listed]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "torch.Size([1, 20])\n"
