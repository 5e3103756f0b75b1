"""Number figures, theorems, exercises and equations as the site numbers them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import read_page
from bookkit.book.notebooks import CONTENTS, read_notebook, read_yaml
from bookkit.book.prose import equation_labels, without_code

_BOX = re.compile(
    r"^[:`]{3,}\{(?:prf:)?(?P<kind>[a-z]+)(?:-start)?\}[^\n]*\n"
    r"(?P<options>(?::[\w-]+:[^\n]*\n)*)",
    re.M,
)
_LABEL = re.compile(r"^:(?:label|name):[ \t]*(\S+)", re.M)
BOXES = {
    "figure": "Figure",
    "exercise": "Exercise",
    "theorem": "Theorem",
    "lemma": "Lemma",
    "corollary": "Corollary",
    "proposition": "Proposition",
    "property": "Property",
    "definition": "Definition",
}
EQUATION = "equation"


@dataclass(frozen=True)
class Number:
    """What the site prints for a label: its kind and its number."""

    kind: str
    number: str

    @property
    def text(self) -> str:
        """The words of a reference: Theorem 6.2, or (6.2) for an equation."""
        if self.kind == EQUATION:
            return f"({self.number})"
        return f"{BOXES[self.kind]} {self.number}"


def numbers(root: Path) -> dict[str, Number]:
    """Give each label of the book its number.

    A numbered chapter numbers its things 6.1, 6.2, and so on; the pages without a
    number share one count of each kind.
    """
    counts: Counter[tuple[str, int | None]] = Counter()
    found: dict[str, Number] = {}
    for page, chapter in chapter_numbers(root):
        for kind, label in _numbered(page):
            counts[kind, chapter] += 1
            parts = [*([chapter] if chapter else []), counts[kind, chapter]]
            found[label] = Number(kind, ".".join(map(str, parts)))
    return found


def chapter_numbers(root: Path) -> list[tuple[Path, int | None]]:
    """List the pages in reading order, each with the number of its chapter."""
    table = read_yaml(root / CONTENTS) or {}
    pages: list[tuple[str, int | None]] = [(table.get("root", ""), None)]
    chapter = 0
    for part in table.get("parts", [{"chapters": table.get("chapters", [])}]):
        for entry in part.get("chapters", []):
            chapter += bool(part.get("numbered"))
            number = chapter if part.get("numbered") else None
            pages += [(name, number) for name in _files(entry)]
    paths = [(_page(root, name), number) for name, number in pages]
    return [(path, number) for path, number in paths if path]


def _files(entry: dict) -> Iterator[str]:
    """Yield a page of the contents and the pages below it."""
    if "file" in entry:
        yield entry["file"]
    for child in entry.get("sections", []):
        yield from _files(child)


def _page(root: Path, name: str) -> Path | None:
    """Find the file of a page."""
    stem = re.sub(r"\.(ipynb|md)$", "", name)
    files = [root / f"{stem}{suffix}" for suffix in (".ipynb", ".md")]
    return next((file for file in files if name and lexists(file)), None)


def _numbered(page: Path) -> Iterator[tuple[str, str]]:
    """Yield kind and label of what is numbered on a page, in order for each kind."""
    if page.suffix == ".md":
        yield from _numbered_in(read_page(page))
        return
    for cell in read_notebook(page).cells:
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        if cell.cell_type == "markdown":
            yield from _numbered_in(cell.source)
        elif name:
            yield "figure", name


def _numbered_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and label of what is numbered in a markdown text."""
    for match in _BOX.finditer(without_code(text) + "\n"):
        label = _LABEL.search(match["options"])
        if label and match["kind"] in BOXES:
            yield match["kind"], label[1]
    for label in equation_labels(text):
        yield EQUATION, label


def number_of(label: str, known: dict[str, Number], place: str) -> Number:
    """Look a label up.

    Raises:
        BookError: Nothing has this label.
    """
    if label not in known:
        raise BookError(
            f"{place} refers to {label!r}, and nothing of that name has a number; "
            "mend the name, or label what it means."
        )
    return known[label]
