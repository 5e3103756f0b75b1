"""The rule about links: every reference of the book finds its target."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from myst_parser.mdit_to_docutils.base import default_slugify

from bookkit.book.cells import code_cells, markdown_cells, markdown_tokens
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.book.prose import equation_labels, without_code
from bookkit.checking.rules.figures import figure_name

_LABELS = (
    re.compile(r"^\((?P<label>[^)\s]+)\)=\s*$", re.M),
    re.compile(r"^:(?:label|name):[ \t]*(?P<label>\S+)", re.M),
    re.compile(r"\{[^}\n]*#(?P<label>[\w-]+)[^}\n]*\}"),
)
_ROLE = re.compile(r"\{(?P<role>ref|numref|eq|prf:ref)\}`(?P<text>[^`]+)`")
_CITE = re.compile(r"\{cite(?::\w+)?\}`(?P<text>[^`]+)`")
_LINK = re.compile(r"\]\((?P<target>[^)\s]*)\)")
_BIB = re.compile(r"^\s*@\w+\s*\{\s*([^,\s]+)\s*,", re.M)
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.I)
_WORDS = ("text", "code_inline")
_GENERATED = {"genindex", "modindex", "search"}


@dataclass
class Page:
    """A page as links see it: its text, the labels it defines, its headings."""

    path: Path
    name: str
    text: str
    labels: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


def page_paths(root: Path) -> list[Path]:
    """List the files that are pages: markdown and notebooks under `book/`."""
    found = (path.relative_to(root) for path in (root / "book").rglob("*.md"))
    # Folders that start with an underscore hold parts of the site, no pages.
    own = [p for p in found if not any(part[0] in "._" for part in p.parts)]
    return sorted([*(root / path for path in own), *notebook_paths(root)])


def read_pages(root: Path) -> list[Page]:
    """Read every page under `book/`."""
    pages = []
    for path in page_paths(root):
        if path.suffix == ".md":
            pages.append(_page(path, root, read_page(path), []))
            continue
        notebook = read_notebook(path)
        cells = [cell.source for _, cell in markdown_cells(notebook)]
        figures = [figure_name(cell) for _, cell in code_cells(notebook)]
        text = "\n\n".join(cells) + "\n"
        pages.append(_page(path, root, text, [name for name in figures if name]))
    return pages


def _page(path: Path, root: Path, text: str, figures: list[str]) -> Page:
    """Collect what a page defines."""
    prose = without_code(text)
    equations = equation_labels(text)
    found = [match["label"] for form in _LABELS for match in form.finditer(prose)]
    # A label inside a math directive is an equation's and was already found.
    named = [label for label in found if label not in equations]
    page = Page(path, relative_name(path, root), prose, [*figures, *equations, *named])
    page.anchors = set(_heading_anchors(text))
    return page


def _heading_anchors(text: str) -> Iterator[str]:
    """Yield the anchors that the site gives to headings."""
    tokens = markdown_tokens(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            # The site leaves math out of an anchor, and so does this.
            parts = [c for c in inline.children or [] if c.type in _WORDS]
            yield default_slugify("".join(part.content for part in parts))


def links_resolve(root: Path) -> list[str]:
    """References, citations, links and images find their targets."""
    pages = read_pages(root)
    labels = {label.lower() for page in pages for label in page.labels} | _GENERATED
    bibliography = root / "book" / "references.bib"
    entries = bibliography.read_text("utf-8") if bibliography.exists() else ""
    keys = set(_BIB.findall(entries))
    faults = [
        f"{page.name}: {fault}"
        for page in pages
        for fault in [
            *_lost_roles(page, labels),
            *_lost_citations(page, keys),
            *_lost_links(page, labels, {other.path: other for other in pages}),
        ]
    ]
    return list(dict.fromkeys(faults))


def _lost_roles(page: Page, labels: set[str]) -> Iterator[str]:
    """Yield the references whose label is defined nowhere."""
    for match in _ROLE.finditer(page.text):
        target = match["text"].rpartition("<")[2].rstrip(">").strip()
        if target.lower() not in labels:
            yield f"{{{match['role']}}} refers to {target!r}, which nothing defines."


def _lost_citations(page: Page, keys: set[str]) -> Iterator[str]:
    """Yield the citations that references.bib does not hold."""
    for match in _CITE.finditer(page.text):
        for key in match["text"].split(","):
            if key.strip() not in keys:
                yield f"cites {key.strip()!r}, which book/references.bib does not hold."


def _lost_links(page: Page, labels: set[str], pages: dict[Path, Page]) -> Iterator[str]:
    """Yield the links to files or anchors that do not exist."""
    for match in _LINK.finditer(page.text):
        target = match["target"].strip("<>")
        if not target or _ELSEWHERE.match(target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.path.parent / file).resolve() if file else page.path
        if file and not path.exists():
            yield f"links to {target!r}, and there is no such file."
        elif anchor:
            here = pages.get(path)
            known = here.anchors if here else set()
            # A label is found from everywhere by its name alone, and only so.
            if anchor not in known and (file or anchor.lower() not in labels):
                yield f"links to {target!r}, and there is no such anchor."
