"""Rules about references and links: readable in Colab, right, and complete."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from docutils.nodes import make_id
from nbformat import NotebookNode
from pybtex.database import Entry as BibEntry

from bookkit.book.address import (
    Published,
    lost_pages,
    no_such_page,
    page_file,
    published,
    write_addresses,
)
from bookkit.book.bibliography import (
    BIBLIOGRAPHY,
    Entry,
    parse_bibliography,
    read_bibliography,
)
from bookkit.book.cells import headings, markdown_cells
from bookkit.book.errors import BookError, nearest_to
from bookkit.book.files import find_root, read_page, relative_name
from bookkit.book.numbering import page_labels, shared_labels
from bookkit.book.prose import anchors, without_code
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
_LINK = re.compile(r"(?<!!)\]\((?P<to>[^)\s]+)\)")
# What the site makes of an entry of the glossary.
_TERM = "term-"


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


def links_lead_somewhere(notebook: NotebookNode, path: Path) -> list[str]:
    """A link of a notebook leads to an anchor in it, or to a page and a part of it.

    For readers in Colab, who have one page and not the site.
    """
    root, cells = find_root(path), list(markdown_cells(notebook))
    online, file = published(root), relative_name(path, root)
    own = set().union(*(anchors(cell.source) for _, cell in cells))
    titles = {make_id(x) for _, cell in cells for x in headings(cell.source)}
    labels = functools.cache(page_labels)
    absolute = functools.partial(write_addresses, file=file, target=online)
    return [
        f"{name} links to {match['to']}, {fault}"
        for name, cell in cells
        for match in _LINK.finditer(without_code(cell.source))
        for fault in (
            lost_pages(match[0], file, root).values()
            or faults_outside(absolute(match[0]), online, labels, root)
            or _within(match["to"], own, titles, root)
        )
    ]


def _within(to: str, own: set[str], titles: set[str], root: Path) -> list[str]:
    """Return what is wrong with a link of a notebook to itself, or to no page."""
    label = to.removeprefix("#")
    if re.match(r"[a-z]+:", to) or label in own:
        return []
    if to == label:
        return ["which leads nowhere in Colab; run `make references`."]
    if label in shared_labels(root):
        return ["which stands on another page; run `make references`."]
    if label in titles:
        return ["a heading without an anchor; run `make references`."]
    nearest = nearest_to(label, {*own, *titles, *shared_labels(root)})
    return [f"and no cell has that anchor{nearest}; mend it, or write it above a cell."]


def faults_outside(
    to: str, online: Published, labels: Callable[[Path], set[str]], root: Path
) -> list[str]:
    """Return what is wrong with each address of a page of the book in a text."""
    faults: list[str] = []

    def look(page: str, anchor: str) -> str:
        file = page_file(root, page)
        known = labels(root / file) if file and anchor else ()
        if file is None:
            faults.append(no_such_page(page, root))
        elif anchor and not anchor.startswith(_TERM) and anchor not in known:
            nearest = nearest_to(anchor, known)
            faults.append(
                f"and that page has no such part{nearest}: the heading may have "
                "changed, or hold a formula, and needs an anchor above it."
            )
        return ""

    online.change_links(to, look)
    return faults
