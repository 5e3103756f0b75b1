"""Number figures, theorems, exercises and equations as the site numbers them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path

from bookkit.book.boxes import NUMBERED, is_markdown, read_box
from bookkit.book.errors import BookError
from bookkit.book.files import read_page, relative_name
from bookkit.book.notebooks import CHINESE, CONTENTS, read_notebook, read_yaml
from bookkit.book.prose import equation_labels

EQUATION = "equation"


@dataclass(frozen=True)
class Number:
    """What the site prints for a label: its kind and its number; and where it is."""

    kind: str
    number: str
    file: str = ""

    @property
    def text(self) -> str:
        """The words of a reference: Theorem 6.2, or (6.2) for an equation."""
        if self.kind == EQUATION:
            return f"({self.number})"
        return f"{self.kind.capitalize()} {self.number}"


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
            number = ".".join(map(str, parts))
            found[label] = Number(kind, number, relative_name(page, root))
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
            names = (n for n in _files(entry) if not n.startswith(CHINESE))
            pages += [(name, number) for name in names]
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
        yield from ((EQUATION, label) for label in equation_labels(read_page(page)))
        return
    for cell in filter(is_markdown, read_notebook(page).cells):
        box = read_box(cell.source)
        if box and box.kind in NUMBERED and box.label:
            yield box.kind, box.label
        yield from ((EQUATION, label) for label in equation_labels(cell.source))


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
