"""The generated pages of the appendix: one template a page, one command for all.

The words of a page stand in its template. A module named in `PAGES` has a function
``facts(root: Path)`` that returns what the template names, the same for the same files
of the repository. A test compares each page with its file, so that none can go stale.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from bookkit.book.files import replace_files
from bookkit.publishing.appendix.templates import fill
from bookkit.writing.references import plain_references, read_targets

# The file that a reader gets, and the module that counts for it.
PAGES = {
    "book/appendix/paper_to_code.md": "bookkit.publishing.maps.page",
    "book/appendix/parity.md": f"{__name__}.parity",
    "book/appendix/how_it_is_checked.md": f"{__name__}.how_it_is_checked",
    "book/appendix/benchmarks.md": f"{__name__}.benchmarks",
}


def page_of(name: str, root: Path) -> str:
    """Return the text that a generated page must have."""
    facts: Callable[[Path], Mapping[str, object]] = import_module(PAGES[name]).facts
    return plain_references(fill(name, facts(root), root), read_targets(root), name)


def write_pages(root: Path) -> list[str]:
    """Write each generated page that is not fresh, and list those."""
    fresh = _fresh_pages(root)
    replace_files({root / name: text.encode("utf-8") for name, text in fresh.items()})
    return list(fresh)


def _fresh_pages(root: Path) -> dict[str, str]:
    """Return what the pages that are missing or stale must say."""
    texts = {name: page_of(name, root) for name in PAGES}
    return {name: t for name, t in texts.items() if _stored(root / name) != t}


def _stored(path: Path) -> str | None:
    """Return the text of a file, if there is one."""
    return path.read_bytes().decode("utf-8") if path.is_file() else None
