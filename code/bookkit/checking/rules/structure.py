"""Rules about the form of a notebook: titled and clean."""

import copy
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.address import repository_url
from bookkit.book.cells import code_cells, markdown_cells, markdown_tokens
from bookkit.book.files import find_root
from bookkit.book.notebooks import REMOVE_CELL, canonical_bytes, cell_name, tags
from bookkit.writing.bootstrap import bootstrap_source
from bookkit.writing.normalize import normalize_metadata


def file_is_canonical(notebook: NotebookNode, path: Path) -> list[str]:
    """The file holds the bytes that the book's tools write.

    For those who review a change: the diff shows what was meant.
    """
    if path.read_bytes() == canonical_bytes(notebook):
        return []
    return ["The file is not in canonical form; run `make run`."]


def title_comes_first(notebook: NotebookNode, path: Path) -> list[str]:
    """The first cell is markdown with the only first-level heading.

    For readers who hear the page, and move by its headings.
    """
    titles = {
        name: _titles(cell.source)
        for name, cell in markdown_cells(notebook)
        if _titles(cell.source)
    }
    if list(titles.items()) == [("cell 1", 1)]:
        return []
    found = ", ".join(titles) or "none"
    return [f"The only first-level heading must stand in cell 1; found in: {found}."]


def _titles(text: str) -> int:
    """Count the first-level headings of a markdown text."""
    tokens = markdown_tokens(text)
    return sum(token.type == "heading_open" and token.tag == "h1" for token in tokens)


def bootstrap_comes_first(notebook: NotebookNode, path: Path) -> list[str]:
    """The first code cell is the bootstrap, hidden and silent.

    For readers in Colab: the first cell installs what the others need.
    """
    source = bootstrap_source(repository_url(find_root(path)))
    name, first = next(code_cells(notebook), ("no code cell", None))
    if first is None or first.source != source or REMOVE_CELL not in tags(first):
        return [f"{name}: the first code cell must be the bootstrap; run `make draw`."]
    return [f"{name}: the bootstrap must print nothing."] if first.outputs else []


def metadata_is_normal(notebook: NotebookNode, path: Path) -> list[str]:
    """The metadata says what is folded, and nothing of times, editors or one run.

    For readers in Colab and JupyterLab: what the site folds is folded.
    """
    fresh = copy.deepcopy(notebook)
    normalize_metadata(fresh)
    pairs = [("The notebook", notebook.metadata, fresh.metadata)]
    pairs += [
        (cell_name(notebook, index), cell.metadata, other.metadata)
        for index, (cell, other) in enumerate(
            zip(notebook.cells, fresh.cells, strict=True)
        )
    ]
    return [
        f"{place} {'keeps' if key in found else 'lacks'} metadata {key!r}; run "
        "`make run`."
        for place, found, wanted in pairs
        for key in sorted({*found, *wanted})
        if found.get(key) != wanted.get(key)
    ]
