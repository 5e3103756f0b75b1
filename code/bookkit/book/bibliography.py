"""How the book cites each entry of references.bib, and where the entry is found."""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase

from pybtex.database import BibliographyData, Person, parse_string
from pybtex.database import Entry as BibEntry
from pybtex.exceptions import PybtexError
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from bookkit.book.errors import BookError
from bookkit.book.files import read_page

BIBLIOGRAPHY = "book/references.bib"
# The archive first: it is open to every reader.
_ADDRESSES = {
    "eprint": "https://arxiv.org/abs/",
    "doi": "https://doi.org/",
    "url": "",
}
_MAX_NAMES = 2


@dataclass(frozen=True)
class Entry:
    """An entry as a sentence names it and as a link finds it.

    Attributes:
        key: Its key in the file.
        authors: The names that a citation shows.
        year: The year, with a letter where authors and year name several entries.
        addresses: Where it is found, the one that links use first.
    """

    key: str
    authors: str
    year: str
    addresses: tuple[str, ...]

    @property
    def address(self) -> str | None:
        """The address that links use."""
        return self.addresses[0] if self.addresses else None

    @property
    def textual(self) -> str:
        """The entry as part of a sentence: Su et al. (2021)."""
        return f"{self.authors} ({self.year})"

    @property
    def parenthetical(self) -> str:
        """The entry within brackets: Su et al., 2021."""
        return f"{self.authors}, {self.year}"


def read_bibliography(root: Path) -> dict[str, Entry]:
    """Read the entries of the book's bibliography by their keys.

    Raises:
        BookError: The file is no BibTeX.
    """
    path = root / BIBLIOGRAPHY
    text = read_page(path) if path.exists() else ""
    return cite_entries(parse_bibliography(text))


@functools.cache
def parse_bibliography(text: str) -> BibliographyData:
    """Parse BibTeX; a fault is an error that says where."""
    try:
        return parse_string(text, "bibtex")
    except PybtexError as error:
        reason = " ".join(str(error).split())
        raise BookError(f"{BIBLIOGRAPHY} must be BibTeX: {reason}") from error


def cite_entries(data: BibliographyData) -> dict[str, Entry]:
    """Name each entry, with letters in the order of the page where names repeat."""
    sort = find_plugin("pybtex.style.sorting", "author_year_title")().sort
    ordered = sort(data.entries.values())
    names = [(_authors(entry), entry.fields.get("year", "")) for entry in ordered]
    total, seen = Counter(names), Counter()
    entries = {}
    for entry, (authors, year) in zip(ordered, names, strict=True):
        letter = ascii_lowercase[seen[authors, year]]
        seen[authors, year] += 1
        year += letter if total[authors, year] > 1 else ""
        entries[entry.key] = Entry(entry.key, authors, year, _addresses(entry.fields))
    return entries


def _authors(entry: BibEntry) -> str:
    """Join the last names of one or two authors; of more, the first stands for all."""
    persons = entry.persons.get("author") or entry.persons.get("editor") or []
    names = [_last_name(person) for person in persons]
    if len(names) > _MAX_NAMES or names[1:] == ["others"]:
        return f"{names[0]} et al."
    return " and ".join(names)


def _last_name(person: Person) -> str:
    """Return a person's last name with what belongs in front of it: de Jong."""
    return " ".join(map(_plain, [*person.prelast_names, *person.last_names]))


@functools.cache
def _plain(name: str) -> str:
    """Write a name in plain letters; it is asked for on every page."""
    return str(Text.from_latex(name))


def _addresses(fields: Mapping[str, str]) -> tuple[str, ...]:
    """List where an entry is found; brackets would end a link in markdown."""
    found = [
        start + fields[name] for name, start in _ADDRESSES.items() if fields.get(name)
    ]
    return tuple(
        re.sub(r"[()]", lambda match: f"%{ord(match[0]):02X}", address)
        for address in found
    )


def entries_by_address(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Map each address to the entry that it belongs to."""
    return {address: entry for entry in entries for address in entry.addresses}
