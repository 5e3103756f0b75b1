"""Find where each number of a notebook's prose comes from.

It is shown nearby, cited, or listed: `book/appendix/data/numbers.toml` has a table for
each page. What is listed is a piece of the page's text with numbers in it. `from` says
where they come from, one or several with semicolons between:

- a formula of numbers alone, after `= `;
- a cell of the page or one of its sections, `#code-loss`, with the name that the
  notebook gives to the cell;
- a cell, a section or all of another page, `position/rotary#clocks`;
- a file of the repository with the number in it, or a test, `tests/test_a.py::test_b`;
- words, where only a reader can tell.

`on_page` lists those that a reader has found in some cell of the page.

Where a whole page or a file of data is named, the number must stand out in it, so that
a slip of the hand would not be found there too. In a module it must stand as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import or_
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.address import repository_url, site_url
from bookkit.book.files import find_root, read_toml
from bookkit.book.notebooks import read_notebook
from bookkit.checking.numbers.said import Found, Number
from bookkit.checking.numbers.sections import Passage, Section, sections_of
from bookkit.checking.numbers.shown import numbers_shown
from bookkit.checking.numbers.worked import value_of

RECORD = "book/appendix/data/numbers.toml"
ON_PAGE = "on_page"
EQUATION, NEAR, SECTION, LINKED = "equation", "near", "section", "linked"
REPEATED, PAGE, CITED, LISTED, NOWHERE = "repeated", "page", "cited", "listed", ""
# How many digits a number must have to be looked for there: fewer are met by chance.
IN_SECTION, ANYWHERE, AGAIN = 3, 4, 3
_LINK = re.compile(r"\]\((?P<address>[^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")


@dataclass(frozen=True)
class Listed:
    """A piece of a page's text, and where its numbers come from."""

    words: str
    source: str

    def covers(self, text: str, begin: int, end: int) -> bool:
        """Say whether a number of a text stands in this piece."""
        places = re.finditer(re.escape(self.words), text)
        return any(found.start() <= begin and end <= found.end() for found in places)


def read_listed(root: Path) -> dict[str, list[Listed]]:
    """Read what is listed, by page: `position/rotary` is one."""
    if not (root / RECORD).is_file():
        return {}
    return {
        page: [Listed(words, ON_PAGE) for words in table.get(ON_PAGE, [])]
        + [Listed(words, source) for words, source in table.get("from", {}).items()]
        for page, table in read_toml(root, RECORD).items()
    }


@dataclass(frozen=True)
class Traced:
    """A number, where it stands, and where it was found."""

    number: Number
    passage: Passage
    source: str

    @property
    def words(self) -> str:
        """The words around it."""
        begin, end = max(self.number.begin - 30, 0), self.number.end + 15
        return " ".join(self.passage.text[begin:end].split())


class Page:
    """A page of the book: its sections, and the numbers that it shows."""

    def __init__(self, notebook: NotebookNode, path: Path) -> None:
        self.root = find_root(path)
        folder = self.root / "book"
        self.name = path.relative_to(folder).with_suffix("").as_posix()
        self.sections = sections_of(notebook)

    @cached_property
    def shown(self) -> Found:
        """All that its cells show."""
        return reduce(or_, (one.shown for one in self.sections))

    @cached_property
    def listed(self) -> list[Listed]:
        """What is listed of it."""
        return read_listed(self.root).get(self.name, [])

    def at(self, anchor: str) -> Found:
        """Return what a section or a cell shows, or nothing if none has this name."""
        for one in self.sections:
            if anchor in one.names:
                return one.shown
        cells = (one.cells[anchor] for one in self.sections if anchor in one.cells)
        return reduce(or_, cells, Found())  # headings cut a cell

    @cached_property
    def _said(self) -> list[tuple[Number, Passage, str]]:
        """The numbers of the prose, and by what each is shown where it is said."""
        return [
            (number, passage, self._shown_for(number, passage, section))
            for section in self.sections
            for passage in section.passages
            for number in passage.numbers
        ]

    @cached_property
    def _again(self) -> Found:
        """The numbers of the prose that are shown where they are said."""
        numbers = (number for number, _, shown in self._said if shown)
        return Found(exact=(-n.value if n.negative else n.value for n in numbers))

    def traced(self) -> Iterator[Traced]:
        """Trace each number of the page."""
        for number, passage, shown in self._said:
            source = shown or self._other_source(number, passage)
            yield Traced(number, passage, source)

    def source_of(self, number: Number, passage: Passage) -> str:
        """Say where a number of a passage comes from; nothing if no test can tell."""
        section = self.sections[passage.section]
        shown = self._shown_for(number, passage, section)
        return shown or self._other_source(number, passage)

    def _shown_for(self, number: Number, passage: Passage, section: Section) -> str:
        """Say by what a number is shown where it is said."""
        if passage.worked.holds(number.begin, number.end, number.text):
            return EQUATION
        if passage.near.tells(number):
            return NEAR
        if number.digits >= IN_SECTION and section.shown.tells(number):
            return SECTION
        if any(self._target(link).tells(number) for link in links(number.sentence)):
            return LINKED
        return NOWHERE

    def _other_source(self, number: Number, passage: Passage) -> str:
        """Say which source a number has that is not shown where it is said."""
        span = passage.text, number.begin, number.end
        if entries := [entry for entry in self.listed if entry.covers(*span)]:
            confirmed = any(self._confirms(entry, number) for entry in entries)
            return LISTED if confirmed else NOWHERE
        if number.digits >= AGAIN and self._again.has(number):
            return REPEATED
        if number.digits >= ANYWHERE and self.shown.has(number):
            return PAGE
        if any(is_citation(link, self.root) for link in links(number.sentence)):
            return CITED
        return NOWHERE

    def _target(self, link: str) -> Found:
        """Return what a link within the book leads to."""
        page, _, anchor = link.removeprefix(pages_url(self.root)).partition("#")
        if link.startswith("#"):
            return self.at(anchor)
        if not link.startswith(pages_url(self.root)):
            return Found()
        other = read_page(self.root, page.removesuffix(".html"))
        if other is None:
            return Found()
        return other.at(anchor) if anchor else other.shown

    def _confirms(self, entry: Listed, number: Number) -> bool:
        """Say whether what an entry names has the number, where a test can tell."""
        if entry.source == ON_PAGE:
            return self.shown.has(number)
        if entry.source.startswith("= "):
            return Found(value_of(entry.source[2:])).has(number)
        return any(self._has(place, number) for place in entry.source.split("; "))

    def _has(self, place: str, number: Number) -> bool:
        """Say whether a place that an entry names has the number."""
        if " " in place:
            return True
        file, _, anchor = place.partition("#")
        if page := read_page(self.root, file) if file else self:
            return page.at(anchor).has(number) if anchor else page.shown.tells(number)
        path = self.root / file.partition("::")[0]
        if not path.is_file():
            return False
        text = path.read_text(encoding="utf-8")
        if "::" in file:
            return f"def {file.partition('::')[2]}(" in text
        if path.suffix == ".py":
            return Found(exact=numbers_shown(text)).has(number)
        return Found(numbers_shown(text)).tells(number)


def links(sentence: str) -> list[str]:
    """List the addresses of the links of a sentence."""
    return [match["address"] for match in _LINK.finditer(sentence)]


def is_citation(link: str, root: Path) -> bool:
    """Say whether a link leads out of the book."""
    return link.startswith("http") and not link.startswith(pages_url(root))


@lru_cache(maxsize=8)
def pages_url(root: Path) -> str:
    """Return the address below which the pages of the book are published."""
    return f"{site_url(repository_url(root))}book/"


def read_page(root: Path, name: str) -> Page | None:
    """Read a page of the book that is a notebook."""
    path = root / "book" / f"{name}.ipynb"
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else None


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Page:
    """Read a notebook again only if it has changed."""
    return Page(read_notebook(path), path)
