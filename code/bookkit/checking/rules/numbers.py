"""Rules about numbers: each comes from a cell, a formula, a citation or a list."""

import re
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from bookkit.book.files import read_page, relative_name
from bookkit.checking.numbers.tracing import RECORD, Page, read_listed
from bookkit.checking.rules.pages import page_paths

_FENCE = re.compile(r"^```(?:\{.*)?$", re.M)  # around the terms of the glossary


def numbers_have_a_source(notebook: NotebookNode, path: Path) -> list[str]:
    """A number in prose, a caption or a description comes from somewhere.

    A decimal, and a whole number that is read off an output, is shown by a cell nearby,
    stands in an equation that holds, has a citation or a link to what shows it in its
    sentence, or is listed. What can be computed in a formula must hold.

    For researchers: a number that they quote was computed or is cited.
    """
    return _breaches(Page(notebook, path))


def numbers_of_pages_have_a_source(root: Path) -> list[str]:
    """A number on a page without cells is cited, or listed with its source.

    For researchers: a number that they quote was measured or is cited.
    """
    breaches, names = [], set()
    for path in page_paths(root):
        names.add(path.relative_to(root / "book").with_suffix("").as_posix())
        generated = path.with_name(f"{path.name}.jinja").exists()
        if path.suffix == ".md" and not generated:
            text = _FENCE.sub("", read_page(path))
            page = new_notebook(cells=[new_markdown_cell(text)])
            found = _breaches(Page(page, path))
            breaches += [f"{relative_name(path, root)}, {said}" for said in found]
    breaches += [
        f"{RECORD} lists numbers of {name!r}, and there is no such page; remove them."
        for name in read_listed(root).keys() - names
    ]
    return breaches


def _breaches(page: Page) -> list[str]:
    """Name the numbers of a page without a source, and what is listed in vain."""
    passages = [passage for section in page.sections for passage in section.passages]
    breaches = [
        f"{passage.name} computes what does not hold: {equation}; correct it."
        for passage in passages
        for equation in passage.worked.false
    ]
    breaches += [
        f"{one.passage.name} says {one.number.text}, and nothing near it shows that: "
        f"{one.words!r}; print it in a cell, link to what shows it, cite, or list it "
        f"in {RECORD}."
        for one in page.traced()
        if not one.source
    ]
    breaches += [
        f"{RECORD} lists {entry.words!r}, and the page does not say it; remove it."
        for entry in page.listed
        if not any(entry.words in passage.text for passage in passages)
    ]
    return breaches
