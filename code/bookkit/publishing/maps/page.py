"""Write the page "From paper to code" from the table of papers."""

from collections.abc import Iterator
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.publishing.maps.api import MOST, chapter_links, entry_link
from bookkit.publishing.maps.atlas import Atlas
from bookkit.publishing.maps.chapters import Place
from bookkit.publishing.maps.papers import (
    TABLE,
    Entry,
    Paper,
    read_introduction,
    read_papers,
)


def page(root: Path) -> str:
    """Write the page."""
    atlas, papers = Atlas(root), read_papers(root)
    count = sum(len(paper.entries) for paper in papers)
    lines = [read_introduction(root).format(entries=count, papers=len(papers))]
    for paper in papers:
        lines += _paper_lines(atlas, paper)
    return "\n".join(lines).rstrip("\n") + "\n"


def _paper_lines(atlas: Atlas, paper: Paper) -> Iterator[str]:
    """Yield the lines of a paper."""
    yield f"## {paper.title}\n\n{{cite:t}}`{paper.key}`\n"
    for entry in paper.entries:
        yield from _entry_lines(atlas, entry, paper.key)
    if paper.missing:
        yield "### What the paper says and this package does not do\n"
        yield from (f"- {sentence}" for sentence in paper.missing)
        yield ""


def _entry_lines(atlas: Atlas, entry: Entry, key: str) -> Iterator[str]:
    """Yield the lines of one entry, a term with its explanations."""
    yield f"{entry.what}{f' ({entry.where})' if entry.where else ''}"
    if entry.formula:
        yield f": $${entry.formula}$$\n"
    functions = " and ".join(entry_link(name) for name in _names(atlas, entry))
    parts = (f"In the package: {functions}.", _tests(atlas, entry))
    yield f": {' '.join(parts)}{_chapters(atlas, entry, key)}\n"
    if entry.differs:
        yield f": *Differs:* {entry.differs}\n"


def _names(atlas: Atlas, entry: Entry) -> list[str]:
    """List the names under which the API pages have the objects of an entry."""
    return [atlas.package.public_names[address] for address in entry.objects]


def _tests(atlas: Atlas, entry: Entry) -> str:
    """Write the tests of an entry as links that read like sentences."""
    links = []
    for test in entry.tests:
        path, _, name = test.partition("::")
        words = name.removeprefix("test_").replace("_", " ")
        links.append(f"[{words}]({atlas.files_url}/{path})")
    return f"Tested: {'; '.join(links)}."


def _chapters(atlas: Atlas, entry: Entry, key: str) -> str:
    """Write where the book has an entry: its equation, its function, or the paper."""
    if entry.equation:
        page = _page_of(entry.equation, atlas)
        return f" In the book: equation {{eq}}`{entry.equation}` of [](../{page})."
    places = [p for a in entry.objects for p in atlas.places.get(a, [])]
    if places:
        return f" {chapter_links(_once(places), '../')}"
    citing = atlas.citations.get(key, [])
    links = ", ".join(place.link("../") for place in citing)
    # A paper that every chapter cites leads nowhere in particular.
    return f" The paper is cited in {links}." if 0 < len(citing) <= MOST else ""


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
