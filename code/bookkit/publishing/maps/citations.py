"""Read which works the docstrings of the package name as their sources."""

import re
import unicodedata
from collections.abc import Iterable

from bookkit.publishing.maps.package import PACKAGE, Package, Thing

_SOURCE = re.compile(r"^Source: (.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
_NAME = r"(?P<name>[A-Z][\w\u2019'-]+)"
_WORK = re.compile(
    rf"{_NAME}(?: et al\.| and [A-Z][\w\u2019'-]+)?,? \(?(?P<year>\d{{4}})\b"
)
_KEY = re.compile(r"(?P<name>[a-z]+)(?P<year>\d{4})")

# Docstrings name the year in which a work came out, the bibliography that in which
# it was published.
_PUBLISHED = {"holtzman2019": "holtzman2020", "peng2023": "peng2024"}


def source_of(thing: Thing) -> str:
    """Return what a docstring says about its source, in one line."""
    found = _SOURCE.search(thing.doc)
    return " ".join(found[1].split()) if found else ""


def named_works(text: str) -> list[str]:
    """List the works that a text names by author and year, as `vaswani2017`."""
    works = [f"{_plain(m['name'])}{m['year']}" for m in _WORK.finditer(text)]
    return list(dict.fromkeys(_PUBLISHED.get(work, work) for work in works))


def work_of(key: str) -> str:
    """Return the author and the year of a key of the bibliography."""
    return _KEY.match(key)[0]


def demanded(package: Package, keys: Iterable[str]) -> list[tuple[str, str]]:
    """List the pairs of an object and a work that its docstring names as a source.

    Args:
        package: The package.
        keys: The keys of the bibliography; what it does not hold is no paper.
    """
    works = {work_of(key) for key in keys}
    return [
        (thing.address, work)
        for thing in package.things.values()
        if thing.is_public and thing.module.startswith(f"{PACKAGE}.")
        for work in named_works(source_of(thing))
        if work in works
    ]


def _plain(name: str) -> str:
    """Write a name in small letters without accents or marks."""
    letters = unicodedata.normalize("NFKD", name)
    return "".join(c for c in letters.lower() if "a" <= c <= "z")
