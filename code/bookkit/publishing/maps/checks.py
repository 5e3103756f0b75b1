"""Find what is wrong with the table of papers: what is gone or forgotten."""

from collections.abc import Iterator, Sequence

from bookkit.book.bibliography import read_bibliography
from bookkit.publishing.maps.atlas import Atlas
from bookkit.publishing.maps.citations import demanded, named_works, source_of, work_of
from bookkit.publishing.maps.package import PACKAGE
from bookkit.publishing.maps.papers import TABLE, Entry, Paper

# A standard, a book and a textbook: no papers with an equation to follow.
NO_PAPERS = {"rfc9110", "devroye1986", "jurafsky2025"}


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
