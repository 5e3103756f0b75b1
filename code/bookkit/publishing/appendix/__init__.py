"""The generated pages of the appendix: one template a page, one command for all.

The words of a page stand in its template. A module named in `PAGES` has a function
``facts(root: Path)`` that returns what the template names, the same for the same files
of the repository. `TABLES` names what is generated within a page of an author. A test
compares each page with its file, so that none can go stale.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import replace_files
from bookkit.publishing.appendix.templates import fill
from bookkit.writing.references import plain_references, read_targets

# The file that a reader gets, and the module that counts for it.
PAGES = {
    "book/appendix/fact_cards.md": f"{__name__}.cards",
    "book/appendix/formula_card.md": f"{__name__}.cards",
    "book/appendix/paper_to_code.md": "bookkit.publishing.maps.page",
    "book/appendix/parity.md": f"{__name__}.parity",
    "book/appendix/how_it_is_checked.md": f"{__name__}.how_it_is_checked",
    "book/appendix/benchmarks.md": f"{__name__}.benchmarks",
}
# A file with two marks, and the function that fills it there, given the root.
TABLES = {
    "book/chapter_map.md": "bookkit.publishing.tables.chapter_table",
    "code/bookkit/README.md": "bookkit.publishing.tables.parts_table",
}
BEGIN, END = "<!-- written by `make appendix` -->", "<!-- end -->"
BETWEEN_MARKS = re.compile(f"(?<={BEGIN}\n).*?(?={END})", re.DOTALL)


def fresh_pages(root: Path) -> dict[str, str]:
    """Return the text that each generated page must have."""
    targets, texts = read_targets(root), {}
    for name, module in PAGES.items():
        facts: Callable[[Path], Mapping[str, object]] = import_module(module).facts
        texts[name] = plain_references(fill(name, facts(root), root), targets, name)
    for name, place in TABLES.items():
        module, _, function = place.rpartition(".")
        table: Callable[[Path], str] = getattr(import_module(module), function)
        texts[name] = put_table(table(root), (root / name).read_text("utf-8"), name)
    return texts


def put_table(table: str, text: str, name: str) -> str:
    """Put a table between the marks of a text.

    Raises:
        BookError: The text does not have the marks once.
    """
    changed, places = BETWEEN_MARKS.subn(lambda _: table, text)
    if places != 1:
        raise BookError(
            f"{name} must have one place for its table, '{BEGIN}' and a line '{END}', "
            f"and has {places}; restore the marks."
        )
    return changed


def write_pages(root: Path) -> list[str]:
    """Write each generated page that is not fresh, and list those."""
    texts = {name: text.encode("utf-8") for name, text in fresh_pages(root).items()}
    stale = {name: data for name, data in texts.items() if _stored(root / name) != data}
    replace_files({root / name: data for name, data in stale.items()})
    return list(stale)


def _stored(path: Path) -> bytes | None:
    """Return what a file holds, if there is one."""
    return path.read_bytes() if path.is_file() else None
