"""The page "From paper to code": what each entry of the table of papers leads to."""

from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError
from bookkit.publishing.maps.api import MOST, chapter_links, entry_link
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.chapters import Place
from bookkit.publishing.maps.papers import TABLE, Entry, Paper, read_papers


def facts(root: Path) -> dict[str, Any]:
    """Return what the page tells."""
    atlas, papers = read_atlas(root), read_papers(root)
    told = [vars(paper) | {"entries": _entries(atlas, paper)} for paper in papers]
    return {"papers": told, "entries": sum(len(paper["entries"]) for paper in told)}


def _entries(atlas: Atlas, paper: Paper) -> list[dict[str, Any]]:
    """Return the entries of a paper."""
    return [_entry(atlas, entry, paper.key) for entry in paper.entries]


def _entry(atlas: Atlas, entry: Entry, key: str) -> dict[str, Any]:
    """Return an entry with links to its functions, its tests, its place in the book."""
    names = [atlas.package.public_name(address) for address in entry.objects]
    places = [p for a in entry.objects for p in atlas.places.get(a, [])]
    citing = [place.link("../") for place in atlas.citations.get(key, [])]
    return vars(entry) | {
        "functions": [entry_link(name) for name in names],
        "tests": [_test(atlas, test) for test in entry.tests],
        "page": _page_of(entry.equation, atlas) if entry.equation else "",
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


def _page_of(equation: str, atlas: Atlas) -> str:
    """Find the page of an equation."""
    if equation not in atlas.equations:
        raise BookError(
            f"{TABLE} names the equation {equation!r}, which must stand in a chapter, "
            "and does not; mend its name."
        )
    return atlas.equations[equation]
