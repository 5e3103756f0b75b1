"""Rules about references: readable in Colab, right, and complete."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pybtex.database import Entry as BibEntry

from bookkit.book.bibliography import (
    BIBLIOGRAPHY,
    Entry,
    parse_bibliography,
    read_bibliography,
)
from bookkit.book.errors import BookError
from bookkit.book.files import read_page
from bookkit.checking.rules.pages import Page, read_pages
from bookkit.writing.links import ROLE, Targets, citations, looks_like_citation
from bookkit.writing.references import read_targets, stale_references

FIELDS = {
    "article": ("author", "title", "journal", "year"),
    "inproceedings": ("author", "title", "booktitle", "year"),
    "misc": ("author", "title", "year"),
    "techreport": ("author", "title", "institution", "year"),
    "incollection": ("author", "title", "booktitle", "publisher", "year"),
    "book": ("author", "title", "publisher", "year"),
}
IDENTIFIERS = {
    "doi": re.compile(r"10\.\d{4,9}/\S+"),
    "eprint": re.compile(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}"),
    "url": re.compile(r"https://\S+"),
}


def references_are_fresh(root: Path) -> list[str]:
    """References are links with words, with the numbers and years of today.

    For readers in Colab, who would see a mark or an old number.
    """
    try:
        places = stale_references(root)
    except BookError as error:
        return [str(error)]
    return [
        f"{place} has a role, a number or a box that is not as Colab needs it; run "
        "`make references`."
        for place in places
    ]


def citations_name_their_entries(root: Path) -> list[str]:
    """A link to a work says authors and year as its entry does.

    For researchers: the names on a link are those of its authors.
    """
    targets = read_targets(root)
    return [
        f"{page.name}: {fault}"
        for page in read_pages(root)
        for words, address in citations(page.text)
        if (fault := _fault(" ".join(words.split()), address, targets))
    ]


def _fault(words: str, address: str, targets: Targets) -> str | None:
    """Return what is wrong with a link to another place."""
    entry = targets.by_address.get(address)
    if entry is None:
        fault = f"cites {words!r} by {address}, which no entry has."
        return fault if looks_like_citation(words) else None
    if words in (entry.textual, entry.parenthetical) and address == entry.address:
        return None
    return (
        f"links to the work {entry.key} with the words {words!r}; write "
        f"{{cite:t}}`{entry.key}` and run `make references`."
    )


def bibliography_is_complete(root: Path) -> list[str]:
    """Each entry has its fields and an address of its own, and is cited.

    For researchers: each work can be found, and was used.
    """
    path = root / BIBLIOGRAPHY
    raw = parse_bibliography(read_page(path)) if path.exists() else None
    entries = read_bibliography(root)
    owners = Counter(a for entry in entries.values() for a in entry.addresses)
    cited = _cited(read_pages(root))
    return [
        f"The entry {key} {fault}"
        for key, entry in entries.items()
        for fault in [
            *_missing(raw.entries[key]),
            *_doubtful(entry, owners),
            *([] if cited & {key, *entry.addresses} else ["must be cited somewhere."]),
        ]
    ]


def _missing(entry: BibEntry) -> Iterator[str]:
    """Yield the fields that an entry of its type lacks or that are misshapen."""
    found = {**entry.fields, **entry.persons}
    if entry.type not in FIELDS:
        yield f"must be one of {', '.join(FIELDS)}, and is {entry.type}."
    for name in FIELDS.get(entry.type, ()):
        if not found.get(name):
            yield f"must have the field {name}."
    for name, form in IDENTIFIERS.items():
        if name in entry.fields and not form.fullmatch(entry.fields[name]):
            yield f"has a {name} of an unknown form: {entry.fields[name]}."


def _doubtful(entry: Entry, owners: Counter[str]) -> Iterator[str]:
    """Yield what is wrong with the addresses of an entry."""
    if not entry.addresses:
        yield "must have an address: a doi, an eprint or a url."
    for address in entry.addresses:
        if owners[address] > 1:
            yield f"must have an address of its own, and shares {address}."


def _cited(pages: list[Page]) -> set[str]:
    """Collect what is cited: addresses, and keys in roles of generated pages."""
    addresses = {address for page in pages for _, address in citations(page.text)}
    roles = [match for page in pages for match in ROLE.finditer(page.text)]
    keys = [match["text"].split(",") for match in roles if "cite" in match["role"]]
    return addresses | {key.strip() for group in keys for key in group}
