"""Run all tests with other versions of what the package stands on."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bookkit.book.errors import BookError
from bookkit.book.pins import pins
from bookkit.checking.colab.environment import Environment, packages_of

FOLDER = Path("_build/freshness")
VERSIONS = ("oldest", "pinned", "newest")
TESTS = ("unit", "tool-test", "notebooks")  # targets of the Makefile
# An old package may use what a newer one beside it calls deprecated.
LENIENT = "PYTEST_ADDOPTS=-W ignore::DeprecationWarning"
FIGURES = "matplotlib"  # draws the same picture in its pinned version only


def requirements_for(versions: str, pinned: str, dependencies: list[str]) -> str:
    """Write requirements in which the package's dependencies have other versions.

    Args:
        versions: The oldest, which are the last releases of the series that the lower
            bounds name: `torch>=2.9` asks for `torch==2.9.*`. Or the newest.
        pinned: The text of requirements.txt.
        dependencies: The lower bounds of pyproject.toml.

    Raises:
        BookError: A dependency is no lower bound or is not pinned.
    """
    lines = {_name(line): line for line in pinned.splitlines() if _name(line)}
    for dependency in dependencies:
        requirement = Requirement(dependency)
        bounds = [s.version for s in requirement.specifier if s.operator == ">="]
        name = canonicalize_name(requirement.name)
        if len(bounds) != 1 or name not in lines:
            raise BookError(
                "A dependency in pyproject.toml must be a lower bound, such as "
                f"torch>=2.9, and stand in requirements.txt; mend {dependency!r}."
            )
        lines[name] = f"{name}=={bounds[0]}.*" if versions == "oldest" else name
    return "\n".join(lines.values()) + "\n"


def _name(line: str) -> str:
    words = line.partition("#")[0].strip()
    return canonicalize_name(Requirement(words).name) if words else ""


def check_with(
    root: Path,
    versions: str,
    python: str,
    *,
    make: str = "make",
    report: Callable[[str], None] = print,
) -> None:
    """Set up an environment with other versions and run everything in it.

    An environment is made once; without its folder it is made afresh.

    Args:
        root: The book's root.
        versions: One of `VERSIONS`.
        python: The interpreter, by name or path.
        make: The program that reads the Makefile.
        report: What to do with a line of the report.

    Raises:
        BookError: There are no such versions, the packages do not install, or tests or
            notebooks fail.
    """
    if versions not in VERSIONS:
        raise BookError(
            f"The versions must be {', '.join(VERSIONS[:-1])} or {VERSIONS[-1]}, and "
            f"are {versions!r}; name one of these."
        )
    folder = FOLDER / versions
    call = [make, f"VENV={folder}", f"PYTHON={python}", *_write_files(root, versions)]
    if _fails([*call, f"{folder}/.ready"], root):
        raise BookError(
            f"The {versions} versions must install together, and do not (the reason "
            "stands above); mend the bounds in pyproject.toml or the pins."
        )
    environment = Environment(root / folder, packages_of(root / folder))
    installed = environment.versions()
    words = ", ".join(f"{name} {installed[name]}" for name in ("python", *_names(root)))
    report(f"With the {versions} versions: {words}")
    if installed[FIGURES] != pins(root)[FIGURES]:
        call.append("TEXTS_ONLY=yes")
    if versions == "oldest":
        call.append(LENIENT)
    broken = [f"make {tests}" for tests in TESTS if _fails([*call, tests], root)]
    if broken:
        raise BookError(
            f"The book must hold with {words}, and {' and '.join(broken)} failed (the "
            "reason stands above); mend the code, or the bounds in pyproject.toml."
        )


def _write_files(root: Path, versions: str) -> list[str]:
    """Write what to install, and name the files as variables of make.

    The pinned versions are what make installs by itself, by their hashes. With the
    newest ones nothing is held that requirements.txt does not name.
    """
    if versions == "pinned":
        return []
    texts = {
        "REQUIREMENTS": requirements_for(
            versions, _read(root, "requirements.txt"), _dependencies(root)
        ),
        "CONSTRAINTS": "" if versions == "newest" else _held(root),
    }
    files = {name: FOLDER / f"{versions}-{name.lower()}.txt" for name in texts}
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, file in files.items():
        # A file that stays as it is keeps its time, so that make installs nothing.
        if not (root / file).is_file() or _read(root, file) != texts[name]:
            (root / file).write_text(texts[name], "utf-8")
    return [f"{name}={file.as_posix()}" for name, file in files.items()]


def _held(root: Path) -> str:
    """Return what constraints.txt pins beyond requirements.txt, without the hashes."""
    named = {canonicalize_name(name) for name in pins(root)}
    lines = _read(root, "constraints.txt").splitlines()
    held = [line.removesuffix(" \\") for line in lines if not line.startswith(" ")]
    return "".join(f"{pin}\n" for pin in held if _name(pin) not in {*named, ""})


def _fails(command: list[str], root: Path) -> bool:
    return subprocess.run(command, cwd=root).returncode != 0


def _read(root: Path, name: str | Path) -> str:
    return (root / name).read_text("utf-8")


def _dependencies(root: Path) -> list[str]:
    return tomllib.loads(_read(root, "pyproject.toml"))["project"]["dependencies"]


def _names(root: Path) -> list[str]:
    return [canonicalize_name(Requirement(d).name) for d in _dependencies(root)]
