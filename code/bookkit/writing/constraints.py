"""Write constraints.txt: what the packages of requirements.txt bring with them."""

from collections.abc import Callable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file

HEADER = (
    "# What the packages of requirements.txt bring with them; "
    "written by `make constraints`."
)
_MACHINE = ("nvidia-", "cuda-", "triton")  # come and go with the machine's GPU


def constraints(
    requirements: str, find: Callable[[str], Distribution] = distribution
) -> str:
    """Return the text of constraints.txt.

    Args:
        requirements: The text of requirements.txt.
        find: Looks up an installed package by name.

    Raises:
        BookError: A package of requirements.txt is not installed.
    """
    lines = (line.partition("#")[0].strip() for line in requirements.splitlines())
    direct = [Requirement(line) for line in lines if line]
    named = {canonicalize_name(requirement.name) for requirement in direct}
    pins = sorted(
        (package.name.lower(), f"{package.name}=={package.version.partition('+')[0]}")
        for name, package in _brought(direct, find).items()
        if name not in named and not name.startswith(_MACHINE)
    )
    return "\n".join([HEADER, *(pin for _, pin in pins)]) + "\n"


def _brought(
    direct: list[Requirement], find: Callable[[str], Distribution]
) -> dict[str, Distribution]:
    """Follow requirements from package to package, as this environment has them."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = list(direct)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        package = _installed(requirement, find, is_needed=requirement in direct)
        for extra in ("", *requirement.extras):
            if package is None or (name, extra) in seen:
                continue
            seen.add((name, extra))
            found[name] = package
            children = [Requirement(line) for line in package.requires or []]
            waiting += [child for child in children if _applies(child, extra)]
    return found


def _applies(requirement: Requirement, extra: str) -> bool:
    """Return whether a requirement's marker holds in this environment."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _installed(
    requirement: Requirement, find: Callable[[str], Distribution], *, is_needed: bool
) -> Distribution | None:
    """Look up a package; one that requirements.txt names must be there."""
    try:
        return find(requirement.name)
    except PackageNotFoundError:
        if not is_needed:
            return None
        raise BookError(
            f"Every package of requirements.txt must be installed, and "
            f"{requirement.name} is not; run 'make clean' and then 'make book'."
        ) from None


def write_constraints(root: Path) -> None:
    """Write constraints.txt from the packages of the current environment."""
    requirements = (root / "requirements.txt").read_text(encoding="utf-8")
    replace_file(root / "constraints.txt", constraints(requirements).encode("utf-8"))
