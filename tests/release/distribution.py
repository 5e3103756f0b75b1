"""Look at what a release would publish, and use the wheel where nothing else is.

    python3 tests/release/distribution.py check _build/dist --tag v0.1.0
    python3 tests/release/distribution.py try _build/dist

`check` takes seconds: the version is the same wherever it stands, and the wheel and the
sdist hold the files that git tracks, and nothing of the tests or the author's tools.
`try` takes minutes: a new environment gets the wheel alone, which is then imported,
writes, trains, translates and passes the tests of the package, in a folder without the
checkout. Needs the standard library only, so that nothing of the book is installed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterable, Sequence
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "tested_transformer"
EXTRAS = "training,gguf,hub"
PACKAGES = ("transformer", "chapters")
BESIDE = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}
HEADING = re.compile(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)
# Tests of the package that ask for no file of the checkout, and what runs them.
TESTS = ("blocks", "checks", "costs", "data", "decoding", "layers", "models")
TESTS += ("test_config.py", "test_files.py", "test_types.py")
LEFT_OUT = "test_compile.py"  # exports, for which it needs three packages more
TOOLS = ("allpairspy", "beartype", "hypothesis", "num2words", "pytest", "scipy")
TOOLS += ("pytest-timeout", "transformers")
SETTINGS = """\
[pytest]
addopts = --import-mode=importlib --jaxtyping-packages=transformer,beartype.beartype
 -p bookkit.checking.facts -p bookkit.checking.parity.plugin
markers =
 authors
 compiled
 nightly
 pictures
"""
USE = """\
import sys
from importlib import import_module, resources
from pathlib import Path
import torch
import transformer
from transformer import DecoderOnlyTransformer, TransformerConfig, generate
here = Path(transformer.__file__)
assert here.is_relative_to(sys.prefix), f"{here} is not in {sys.prefix}"
for line in Path(sys.argv[1]).read_text("utf-8").splitlines()[1:]:
    place, name = line.split(maxsplit=1)
    if place.startswith("transformer"):
        getattr(import_module(place), name)
assert resources.files("transformer").joinpath("py.typed").is_file()
assert resources.files("chapters.live").joinpath("translator_weights.js").is_file()
import_module("chapters.start")
model = DecoderOnlyTransformer(TransformerConfig.decoder_only(vocab_size=100))
print(generate(model, [[5, 7, 11]], max_new_tokens=20).shape)
"""
SMALL = ("--examples=150", "--layers=1", "--d-model=16", "--d-ff=16", "--heads=2")


class ReleaseError(Exception):
    """What keeps a release from being published, in one sentence."""


def check(folder: Path, tag: str = "") -> list[str]:
    """Look at the built files and at what the repository says of them.

    Args:
        folder: Where a wheel and an sdist stand, and no others.
        tag: The tag that is to be published, such as v0.1.0; none for a trial.

    Returns:
        A line for each file.

    Raises:
        ReleaseError: Something does not fit.
    """
    version = find_version(tag)
    wheel, sdist = find_files(folder, version)
    tracked = find_tracked()
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        about = f"{NAME}-{version}.dist-info/"
        said = Parser().parsestr(archive.read(f"{about}METADATA").decode("utf-8"))
    if said["Version"] != version:
        raise ReleaseError(
            f"The wheel must be of version {version}, and is of {said['Version']}."
        )
    _compare(wheel, {n for n in names if not n.startswith(about)}, tracked)
    with tarfile.open(sdist) as archive:
        files = [member.name for member in archive if member.isfile()]
    inside = {name.partition("/")[2] for name in files}
    code = {n.removeprefix("code/") for n in inside if n.startswith("code/")}
    _compare(sdist, {n for n in code if f"{NAME}.egg-info" not in n}, tracked)
    if foreign := {name for name in inside - BESIDE if not name.startswith("code/")}:
        raise ReleaseError(f"{sdist.name} must not hold {_some(foreign)}.")
    return [f"{p.name}: {p.stat().st_size / 1e6:.2f} MB" for p in (wheel, sdist)]


def find_version(tag: str = "") -> str:
    """Return the version, which must be the same wherever it stands.

    Raises:
        ReleaseError: It is not, or a tag is given and the changelog has entries that
            belong to no version yet, or the list of public names is an older one.
    """
    package = _read("code/transformer/__init__.py")
    [version] = re.findall(r'^__version__ = "(.+)"$', package, re.MULTILINE)
    said = re.compile(r'^(version|date-released): "?([^"\n]+)"?$', re.MULTILINE)
    cited = dict(said.findall(_read("CITATION.cff")))
    changelog = _read("CHANGELOG.md")
    (first, _), (newest, day), *_ = HEADING.findall(changelog)
    fits = {
        f"CHANGELOG.md must begin with [Unreleased], and begins with [{first}]": (
            first == "Unreleased"
        ),
        f"CHANGELOG.md must have [{version}] next, with its day, and has [{newest}]": (
            newest == version and bool(day)
        ),
        f"CITATION.cff must name {version} of {day}, and names {cited}": (
            cited == {"version": version, "date-released": day}
        ),
    }
    if tag:
        coming = changelog.partition("[Unreleased]\n")[2].partition("\n## ")[0]
        listed = _read("tests/release/public_names.txt").splitlines()[0]
        fits |= {
            f"The tag must be v{version}, and is {tag}": tag == f"v{version}",
            f"CHANGELOG.md must have all entries under [{version}], and has some "
            "under [Unreleased]": not coming.strip(),
            f"public_names.txt must be that of {version}, and begins '{listed}'": (
                f" {version} " in listed
            ),
        }
    if faults := [f"{said}." for said, holds in fits.items() if not holds]:
        raise ReleaseError(" ".join(faults))
    return version


def find_files(folder: Path, version: str) -> tuple[Path, Path]:
    """Return the wheel and the sdist of a folder.

    Raises:
        ReleaseError: One is missing, or there are others.
    """
    wanted = [f"{NAME}-{version}-py3-none-any.whl", f"{NAME}-{version}.tar.gz"]
    found = sorted(p.name for p in folder.glob("*") if not p.name.startswith("."))
    if found != wanted:
        raise ReleaseError(
            f"{folder} must hold {' and '.join(wanted)}, and holds "
            f"{', '.join(found) or 'nothing'}; run: make dist"
        )
    return folder / wanted[0], folder / wanted[1]


def find_tracked() -> set[str]:
    """List the files of the packages that git tracks, as an installation names them."""
    folders = [f"code/{package}" for package in PACKAGES]
    command = ["git", "ls-files", "--", *folders]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.removeprefix("code/") for name in out.stdout.splitlines()}


def try_out(folder: Path, python: Path, place: Path) -> list[str]:
    """Use the wheel in an environment of its own, and say how long each step took.

    Args:
        folder: Where the wheel stands.
        python: The interpreter of an empty environment.
        place: An empty folder, in which all happens.

    Raises:
        ReleaseError: A step fails; what it said stands above.
    """
    wheel, _ = find_files(folder, find_version())
    listed = ROOT / "tests/release/public_names.txt"
    prepare_tests(place / "tests")
    cli = [python, "-I", "-m", "transformer"]
    pinned = ["--constraint", ROOT / "requirements.txt"]  # others: `make freshness`
    pip = [python, "-m", "pip", "install", "--quiet", *pinned]
    tests = [python, "-m", "pytest", "--quiet", f"--ignore-glob=*/{LEFT_OUT}"]
    steps: dict[str, list] = {
        "install": [*pip, f"{wheel.resolve()}[{EXTRAS}]"],
        "use": [python, "-I", "-c", USE, listed],
        "help": [*cli, "--help"],
        "train": [*cli, "train", *SMALL, "--steps=20"],
        "translate": [*cli, "translate", "seven"],
        "tools": [*pip, *TOOLS],
        "tests": [*tests, "-m", "not nightly", "tests"],
    }
    lines = []
    for name, command in steps.items():
        start = time.monotonic()
        where = place / "tests" if name == "tests" else place
        if subprocess.run(command, cwd=where, env=_variables(place)).returncode:
            raise ReleaseError(f"The step '{name}' must work with {wheel.name} alone.")
        lines.append(f"{name}: {time.monotonic() - start:.0f} s")
    return lines


def prepare_tests(place: Path) -> None:
    """Copy the tests, and the author's tools that run them, but not the package."""
    for name in ("conftest.py", "rings.toml", *TESTS):
        source, target = ROOT / "tests" / name, place / "tests" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    shutil.copytree(ROOT / "code/bookkit", place / "tools/bookkit")
    for name in ("_config.yml", "book/appendix/data/parity.json"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)
    (place / "pytest.ini").write_text(SETTINGS, "utf-8")


def _variables(place: Path) -> dict[str, str]:
    """Return a newcomer's variables, with the tools of the tests and no checkout."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRT"))}
    return kept | {"HOME": str(place), "PYTHONPATH": str(place / "tests/tools")}


def _compare(archive: Path, names: set[str], tracked: set[str]) -> None:
    """Check that an archive holds the files of the packages, no more and no less."""
    if missing := tracked - names:
        raise ReleaseError(
            f"{archive.name} must hold each file of the packages, and lacks "
            f"{_some(missing)}; pyproject.toml lists kinds under package-data."
        )
    if foreign := names - tracked:
        raise ReleaseError(f"{archive.name} must not hold {_some(foreign)}.")


def _some(names: Iterable[str]) -> str:
    """Name three of many."""
    first, rest = sorted(names)[:3], len(list(names)) - 3
    return ", ".join(first) + (f" and {rest} more" if rest > 0 else "")


def _read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check or try; a fault is one sentence and the exit code 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["check", "try"])
    parser.add_argument("folder", type=Path, help="where wheel and sdist stand")
    parser.add_argument("--tag", default="", help="the tag that is to be published")
    options = parser.parse_args(arguments)
    place = Path(tempfile.mkdtemp(prefix="release-"))
    try:
        if options.what == "check":
            print("\n".join(check(options.folder, options.tag)))
        else:
            venv.create(place / "env", with_pip=True)
            scripts = "Scripts" if os.name == "nt" else "bin"
            python = place / "env" / scripts / "python"
            print("\n".join(try_out(options.folder, python, place)))
    except ReleaseError as fault:
        print(f"release: {fault}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
