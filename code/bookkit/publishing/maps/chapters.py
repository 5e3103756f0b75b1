"""Find the places of the book that draw or use objects of the package."""

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from myst_parser.mdit_to_docutils.base import default_slugify
from nbformat import NotebookNode

from bookkit.book.bibliography import entries_by_address, read_bibliography
from bookkit.book.cells import headings
from bookkit.book.errors import BookError
from bookkit.book.files import parse_code
from bookkit.book.notebooks import cell_name, chapters, read_notebook
from bookkit.book.prose import escape_markdown
from bookkit.publishing.maps.package import PACKAGE, Package, bindings
from bookkit.writing.links import citations


@dataclass(frozen=True)
class Place:
    """A section of a chapter, and whether it draws the object or only uses it."""

    page: str
    title: str
    anchor: str
    drawn: bool

    def link(self, base: str) -> str:
        """Write a link to the section from a page that lies in a folder of `book/`.

        Args:
            base: The way from that page to `book/`, such as `../`.
        """
        anchor = f"#{self.anchor}" if self.anchor else ""
        return f"[{escape_markdown(self.title)}]({base}{self.page}.ipynb{anchor})"


def find_places(root: Path, package: Package) -> dict[str, list[Place]]:
    """Map each address to the places that show it, in the order of the book.

    A chapter occurs once for an object: where it draws it, or else where a cell
    first names it, or a tool of the book that works with it.
    """
    found: dict[str, dict[str, Place]] = {}
    for path in chapters(root):
        page = path.relative_to(root / "book").with_suffix("").as_posix()
        for address, place in _places(read_notebook(path), page, package):
            known = found.setdefault(address, {}).get(page)
            if known is None or (place.drawn and not known.drawn):
                found[address][page] = place
    return {address: list(places.values()) for address, places in found.items()}


def _places(
    notebook: NotebookNode, page: str, package: Package
) -> Iterator[tuple[str, Place]]:
    """Yield the objects that the cells of a chapter show, and where."""
    title, anchor, bound, seen = "", "", {}, Counter()
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            for text in headings(cell.source):
                title, anchor = title or text, _unique(default_slugify(text), seen)
        elif cell.cell_type == "code":
            # The title needs no anchor: it is where the page begins.
            spot = anchor if sum(seen.values()) > 1 else ""
            tree = parse_code(as_python(cell.source))
            if tree is None:
                raise BookError(
                    f"book/{page}.ipynb, {cell_name(notebook, index)} must be Python, "
                    "and is not; mend it."
                )
            bound |= bindings(tree)
            if reference := cell.metadata.get("draw"):
                owner = reference.rpartition(".")[0]
                names = {reference, owner if ":" in owner else reference}
            else:
                named = used(tree, package, bound)
                names = {a for name in named for a in reached(name, package)}
            for name in sorted(names):
                yield name, Place(page, title, spot, "draw" in cell.metadata)


def find_citations(root: Path) -> dict[str, list[Place]]:
    """Map each key of the bibliography to the chapters that cite it."""
    works = entries_by_address(read_bibliography(root).values())
    found: dict[str, dict[str, Place]] = {}
    for path in chapters(root):
        page, title = path.relative_to(root / "book").with_suffix("").as_posix(), ""
        for cell in read_notebook(path).cells:
            if cell.cell_type == "markdown":
                title = title or next(headings(cell.source), "")
                place = Place(page, title, "", drawn=False)
                for _, address in citations(cell.source):
                    if address in works:
                        key = works[address].key
                        found.setdefault(key, {}).setdefault(page, place)
    return {key: list(places.values()) for key, places in found.items()}


def _unique(slug: str, seen: Counter) -> str:
    """Number an anchor that a page has already, as the site does."""
    count = seen[slug]
    seen[slug] += 1
    return f"{slug}-{count}" if count else slug


def as_python(source: str) -> str:
    """Blank the lines of a cell that are commands of the notebook, not Python."""
    return re.sub(r"^\s*[%!].*$", "pass", source, flags=re.MULTILINE)


def used(tree: ast.AST, package: Package, bound: dict[str, str]) -> set[str]:
    """List the addresses of the objects of the package that code names."""
    found = set()
    for name in _named(tree):
        top, _, rest = name.partition(".")
        if top in bound:
            found |= _meanings(package, f"{bound[top]}.{rest}".rstrip("."))
    return found


def reached(address: str, package: Package) -> set[str]:
    """List the objects of the package that an object of the chapters works with.

    An object of the package itself works with itself.
    """
    found, open_, seen = set(), [address], set()
    while open_:
        current = open_.pop()
        if current.startswith(f"{PACKAGE}."):
            found.add(current)
        elif current not in seen:
            seen.add(current)
            open_ += _used_by(current, package)
    return found


@functools.cache
def _used_by(address: str, package: Package) -> set[str]:
    """List the objects that the body of an object names."""
    module = package.modules[address.partition(":")[0]]
    body = module.bodies.get(address.partition(":")[2])
    own = {name: f"{module.name}.{name}" for name in module.bodies}
    return used(body, package, own | module.bindings) if body else set()


@functools.cache
def _named(tree: ast.AST) -> frozenset[str]:
    """Collect the names and the chains of attributes in a piece of code."""
    return frozenset({_dotted(node) for node in ast.walk(tree)} - {""})


def _meanings(package: Package, dotted: str) -> set[str]:
    """Return the address of a dotted name and of the class it belongs to."""
    parts = dotted.split(".")
    starts = [".".join(parts[: end + 1]) for end in range(len(parts))]
    return {address for start in starts if (address := package.resolve(start))}


def _dotted(node: ast.AST) -> str:
    """Write a name or a chain of attributes with dots; anything else is empty."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (start := _dotted(node.value)):
        return f"{start}.{node.attr}"
    return ""
