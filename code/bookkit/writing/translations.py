"""Write the Chinese pages from the English ones and their catalogs.

A message that is new or has changed stands in English on the Chinese page, until
somebody has translated it: what the page says is never out of date.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from textwrap import shorten

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import write_po

from bookkit.book.address import page_file, published
from bookkit.book.cells import code_cells
from bookkit.book.chinese import (
    END,
    LOCALE,
    catalog_path,
    is_done,
    labels_path,
    pieces,
    read_catalog,
    translate,
    twins,
)
from bookkit.book.errors import BookError
from bookkit.book.files import read_page, relative_name, replace_files
from bookkit.book.glossary import GLOSSARY, Term, read_glossary
from bookkit.book.notebooks import CHINESE, checked_bytes, read_notebook
from bookkit.book.prose import anchors, targets
from bookkit.writing.chinese import (
    find_labels,
    find_undrawn,
    keep_drawings,
    read_drawings,
    translate_code,
)

COMMA = "\N{IDEOGRAPHIC COMMA}"
# What tools must know of a catalog, and nothing that changes from day to day.
_HEADER = f"""\
msgid ""
msgstr ""
"Language: {LOCALE}\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

""".encode()
_NAME = re.compile(
    r'(?:(?<=<a id=")|(?<=" name="))[\w.:-]+(?="(?: name=[^>]*)?></a>\n)'
    r"|(?<=^\()[\w-]+(?=\)=$)",
    re.M,
)
_NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)")
_FILE = re.compile(
    r"(?<=\]\()(?P<file>(?![a-z]+:)[\w./-]+\.(?:ipynb|md))(?:#(?P<part>[\w.:-]+))?"
)
_LABEL = re.compile(r"(?<=\]\(#)[\w.:-]+(?=\))")
_TERM = re.compile(r"\{term\}`([^`]+)`")
_EXPLAINED = re.compile(r"\s*Explained in \[[^\]]*\]\([^)]*\)\.$")


def messages(root: Path, file: str) -> Iterator[tuple[str, int]]:
    """Yield what is to be translated of an English page, and the cell it is in."""
    if file == GLOSSARY:
        yield from ((said, 1) for said, is_one in pieces(_above_terms(root)) if is_one)
        yield from ((defined, 1) for t in read_glossary(root) if (defined := _said(t)))
        return
    if file.endswith(".md"):
        yield from ((p, 1) for p, is_one in pieces(read_page(root / file)) if is_one)
        return
    for number, cell in enumerate(read_notebook(root / file).cells, 1):
        if cell.cell_type == "markdown":
            yield from ((p, number) for p, is_one in pieces(cell.source) if is_one)
            continue
        if alt := cell.metadata.get("mystnb", {}).get("image", {}).get("alt"):
            yield alt, number
        yield from ((label, number) for label in find_labels(cell))


def renewed_catalog(root: Path, file: str) -> Catalog:
    """Return the catalog of a page with the messages of today.

    What a message was translated as when it was nearly the same stays there, marked as
    fuzzy: it is to be looked at.
    """
    today = Catalog(locale=LOCALE)
    for said, cell in messages(root, file):
        today.add(said, locations=[(file, cell)])
    path = catalog_path(root, file)
    catalog = read_catalog(path) if path.stat().st_size else Catalog(locale=LOCALE)
    catalog.update(today)
    catalog.obsolete.clear()
    for message in filter(lambda message: message.fuzzy, catalog):
        if message.previous_id and (said := _carried(*message.previous_id, message)):
            message.string = said
            message.flags.discard("fuzzy")
            message.previous_id = []
    return catalog


def _carried(before: str, message: Message) -> str:
    """Return a translation with the numbers of today, if no word has changed."""
    old, new = _NUMBER.split(before), _NUMBER.split(message.id)
    changes = {a: b for a, b in zip(old[1::2], new[1::2], strict=False) if a != b}
    said = _NUMBER.split(message.string)
    if old[::2] != new[::2] or any(said[1::2].count(a) != 1 for a in changes):
        return ""
    return "".join(changes.get(part, part) for part in said)


def catalog_bytes(catalog: Catalog) -> bytes:
    """Write a catalog, a paragraph on a line."""
    written = BytesIO()
    write_po(written, catalog, width=0, include_previous=True, omit_header=True)
    return _HEADER + written.getvalue()


def chinese_page(root: Path, file: str, catalog: Catalog) -> bytes:
    """Write the Chinese page of an English one."""
    words = _words(catalog)
    if file == GLOSSARY:
        return _lead(_glossary(root, words), root, file).encode()
    if file.endswith(".md"):
        return _lead(translate(read_page(root / file), words), root, file).encode()
    notebook, path = read_notebook(root / file), root / twins(root)[file]
    drawings = read_drawings(path)
    labels = Path(file).stem if _labels(root, file, words) else ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _lead(translate(cell.source, words), root, file)
        else:
            translate_code(cell, words, drawings, labels=labels)
    return checked_bytes(path, notebook)


def _words(catalog: Catalog) -> dict[str, str]:
    """Return what the messages that are translated say."""
    return {message.id: message.string for message in catalog if is_done(message)}


def _labels(root: Path, file: str, words: dict[str, str]) -> dict[str, str]:
    """Return what the labels of a notebook are in Chinese."""
    if file.endswith(".md"):
        return {}
    cells = (cell for _, cell in code_cells(read_notebook(root / file)))
    labels = (label for cell in cells for label in find_labels(cell))
    return {label: words[label] for label in labels if label in words}


def _lead(text: str, root: Path, file: str) -> str:
    """Name the parts of a Chinese page, and lead its links to Chinese pages."""
    pages = twins(root)
    named = {english: labels_of(root / english) for english in pages}
    everywhere = set().union(*named.values())

    def page(match: re.Match) -> str:
        part = match["part"] or ""
        english = posixpath.normpath(f"{posixpath.dirname(file)}/{match['file']}")
        has_twin = english in pages and (not part or part in named[english])
        place = pages[english] if has_twin else english
        link = posixpath.relpath(place, posixpath.dirname(pages[file]))
        return link + (f"#{part}{END * has_twin}" if part else "")

    def online(name: str, part: str) -> str:
        english = page_file(root, name)
        if english not in pages or (part and part not in named[english]):
            return site.address(f"{name}.html", part)
        return site.address(pages[english], part and part + END)

    def label(match: re.Match) -> str:
        return match[0] + END * (match[0] in everywhere)

    site = published(root)
    text = site.change_links(_FILE.sub(page, text), online)
    return _NAME.sub(rf"\g<0>{END}", _LABEL.sub(label, text))


def labels_of(path: Path) -> set[str]:
    """Collect the labels that a page gives to its parts."""
    if path.suffix == ".md":
        return {*targets(read_page(path))}
    cells = [c for c in read_notebook(path).cells if c.cell_type == "markdown"]
    return {label for cell in cells for label in anchors(cell.source)}


def _above_terms(root: Path) -> str:
    """Return what stands above the terms of the glossary."""
    return read_page(root / GLOSSARY).partition("```{glossary}")[0]


def _said(term: Term) -> str:
    """Return what the glossary says of a term, without the link behind it."""
    text = _EXPLAINED.sub("", term.text)
    return "" if term.synonym_of else _TERM.sub(r"\1", text)


def _glossary(root: Path, words: dict[str, str]) -> str:
    """Write the glossary: term, Chinese names, and what it is, under its letter."""
    lines, letter = [translate(_above_terms(root), words).rstrip()], ""
    terms = {term.name: term for term in read_glossary(root)}
    for term in terms.values():
        if term.name[0].upper() != letter:
            letter = term.name[0].upper()
            lines.append(f"## {letter}")
        other = terms.get(term.synonym_of or "")
        said = f"见 {_named(other)}。" if other else words.get(_said(term), _said(term))
        place = f"](../{term.page}.ipynb#{term.anchor})"
        name = f"[{term.name}{place}" if term.page else term.name
        lines.append(f"**{name}**{_named(term).removeprefix(term.name)}\n: {said}")
    return "\n\n".join(lines) + "\n"


def _named(term: Term) -> str:
    """Write a term with its Chinese names behind it."""
    return " · ".join(filter(None, (term.name, COMMA.join(term.chinese))))


def hand_written(root: Path) -> list[Path]:
    """List the Chinese pages that have no catalog: somebody wrote them by hand."""
    found = (root / CHINESE).rglob("*.md")
    written = {root / chinese for chinese in twins(root).values()}
    return sorted(path for path in found if path not in written)


def stale_translations(root: Path, *, write: bool = False) -> list[str]:
    """Name the catalogs and the Chinese pages that are not of today, or write them."""
    pages, changes = twins(root), {}
    for file in pages:
        catalog = renewed_catalog(root, file)
        changes[catalog_path(root, file)] = catalog_bytes(catalog)
        changes[root / pages[file]] = chinese_page(root, file, catalog)
        if labels := _labels(root, file, _words(catalog)):
            said = json.dumps(labels, ensure_ascii=False, indent=1)
            changes[labels_path(root, file)] = f"{said}\n".encode()
    changes = {
        path: data
        for path, data in changes.items()
        if not path.is_file() or path.read_bytes() != data
    }
    if write:
        replace_files(changes)
    return [relative_name(path, root) for path in changes]


def undrawn(root: Path) -> list[str]:
    """Name the figures that are not drawn with the labels of today, and what to do."""
    return [
        f"{page}, {name}: its figure must have the labels of the catalog; run `make "
        f"run NOTEBOOK={page}`."
        for file, page in twins(root).items()
        if page.endswith(".ipynb")
        for words in [_words(read_catalog(catalog_path(root, file)))]
        for name in find_undrawn(root / file, root / page, words)
    ]


def draw_figures(root: Path, names: Iterable[str], execute: Callable) -> None:
    """Run Chinese notebooks, of which a page keeps the figures.

    Args:
        root: The root of the book.
        names: Which, each by its own name or that of the English one.
        execute: Runs notebooks, given their paths.
    """
    for file, page in twins(root).items():
        if page.endswith(".ipynb") and {file, page}.intersection(names):
            stale_translations(root, write=True)
            execute([root / page])
            keep_drawings(root / file, root / page)
            stale_translations(root, write=True)


def begin_translation(root: Path, file: str) -> None:
    """Give an English page a catalog, in which all is still to be translated."""
    path = catalog_path(root, file)
    if not (root / file).is_file():
        raise BookError(f"PAGE must be a page such as book/notation.md, got {file!r}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def untranslated(root: Path) -> list[str]:
    """Name each message that is missing or stale, with its cell and its first words."""
    return [
        f"{file}, cell {message.locations[0][1]}, {kind}: {words!r}"
        for file in twins(root)
        for message in read_catalog(catalog_path(root, file))
        if message.id and not is_done(message)
        for kind in ["has changed" if message.fuzzy else "is new"]
        for words in [shorten(message.id, 60, placeholder=" …")]
    ]
