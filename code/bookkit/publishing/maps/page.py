"""The page "From paper to code", and what its table has wrong: gone or forgotten."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bookkit.book.bibliography import read_bibliography
from bookkit.book.errors import BookError
from bookkit.publishing.maps.api import MOST, chapter_links, entry_link
from bookkit.publishing.maps.atlas import (
    TABLE,
    Atlas,
    Entry,
    Paper,
    read_atlas,
    read_papers,
)
from bookkit.publishing.maps.chapters import Place
from bookkit.publishing.maps.package import PACKAGE, Package, Thing

# A standard, a book and a textbook: no papers with an equation to follow.
NO_PAPERS = {"rfc9110", "devroye1986", "jurafsky2025"}
_SOURCE = re.compile(r"^Source: (.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
_NAME = r"(?P<name>[A-Z][\w\u2019'-]+)"
_WORK = re.compile(
    rf"{_NAME}(?: et al\.| and [A-Z][\w\u2019'-]+)?,? \(?(?P<year>\d{{4}})\b"
)
_KEY = re.compile(r"(?P<name>[a-z]+)(?P<year>\d{4})")
# Docstrings name the year in which a work came out, the bibliography that in which
# it was published.
_PUBLISHED = {"holtzman2019": "holtzman2020", "peng2023": "peng2024"}


def facts(root: Path) -> dict[str, Any]:
    """Return what the page tells.

    Raises:
        BookError: The table names what does not exist.
    """
    atlas, papers = read_atlas(root), read_papers(root)
    if lost := [*lost_names(atlas, papers)]:
        raise BookError(" ".join(lost))
    told = [
        vars(paper) | {"entries": [_entry(atlas, e, paper.key) for e in paper.entries]}
        for paper in papers
    ]
    return {"papers": told, "entries": sum(len(paper["entries"]) for paper in told)}


def _entry(atlas: Atlas, entry: Entry, key: str) -> dict[str, Any]:
    """Return an entry with links to its functions, its tests, its place in the book."""
    names = [atlas.package.public_name(address) for address in entry.objects]
    places = [p for a in entry.objects for p in atlas.places.get(a, [])]
    citing = [place.link("../") for place in atlas.citations.get(key, [])]
    return vars(entry) | {
        "functions": [entry_link(name) for name in names],
        "tests": [_test(atlas, test) for test in entry.tests],
        "page": atlas.equations.get(entry.equation, ""),
        "places": chapter_links(_once(places), "../"),
        # A paper that every chapter cites leads nowhere in particular.
        "citing": citing if len(citing) <= MOST else [],
    }


def _test(atlas: Atlas, test: str) -> str:
    """Write a test as a link that reads like a sentence."""
    path, _, name = test.partition("::")
    words = name.removeprefix("test_").replace("_", " ")
    return f"[{words}]({atlas.files_url}/{path})"


def _once(places: list[Place]) -> list[Place]:
    """Keep one place for each chapter, the drawn one if there is one."""
    chosen: dict[str, Place] = {}
    for place in sorted(places, key=lambda place: not place.drawn):
        chosen.setdefault(place.page, place)
    return list(chosen.values())


def lost_names(atlas: Atlas, papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the objects, tests, equations and papers that do not exist."""
    tests, keys = atlas.test_names, read_bibliography(atlas.root)
    for paper in papers:
        if paper.key not in keys:
            yield f"{paper.key} must be a key of book/references.bib; add the paper."
        for entry in paper.entries:
            gone = [a for a in entry.objects if a not in atlas.package.things]
            gone += [test for test in entry.tests if test not in tests]
            if entry.equation and entry.equation not in atlas.equations:
                gone.append(entry.equation)
            for name in gone:
                yield f"{_name(paper, entry)} names {name}, which is gone; rename it."


def chapters_without_object(atlas: Atlas, papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the entries whose chapter neither draws nor uses what they name."""
    for paper in papers:
        for entry in paper.entries:
            page = atlas.equations.get(entry.equation, "").removesuffix(".ipynb")
            shown = {p.page for a in entry.objects for p in atlas.places.get(a, [])}
            if page and page not in shown:
                yield (
                    f"{_name(paper, entry)} leads to {page}, which neither draws nor "
                    f"uses {' or '.join(entry.objects)}; name what it uses."
                )


def forgotten_sources(atlas: Atlas, papers: Sequence[Paper]) -> Iterator[str]:
    """Yield the works that docstrings name as sources and no entry covers."""
    covered = {
        (address, work_of(paper.key))
        for paper in papers
        for entry in paper.entries
        for address in entry.objects
    }
    keys = list(read_bibliography(atlas.root))
    for address, work in demanded(atlas.package, keys):
        if (address, work) not in covered:
            yield f"{TABLE} must have an entry of {work} for {address}; write it."


def unknown_works(atlas: Atlas) -> Iterator[str]:
    """Yield the works that docstrings name and the bibliography does not hold."""
    known = {work_of(key) for key in read_bibliography(atlas.root)} | NO_PAPERS
    for thing in atlas.package.things.values():
        if thing.module.startswith(f"{PACKAGE}."):
            for work in named_works(source_of(thing)):
                if work not in known:
                    yield (
                        f"{thing.address} names {work} as its source; add it to "
                        "book/references.bib, with the year that stands there."
                    )


def _name(paper: Paper, entry: Entry) -> str:
    """Name an entry in a message."""
    return f"{TABLE}, {paper.key}, {entry.what!r}"


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
