"""Where the links of a page lead: to the file and the anchor that show what it says."""

import re
from collections.abc import Iterator
from pathlib import Path

from docutils.nodes import make_id

from bookkit.book.cells import headings, markdown_cells
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.book.numbering import numbers
from bookkit.book.prose import anchors

ROOT = find_root(Path(__file__))
NUMBERS = numbers(ROOT)
LINK = re.compile(r"\]\((?P<page>[^)#\s]*)#(?P<anchor>[^)\s]+)\)")


def places(page: Path, text: str) -> Iterator[tuple[Path, str]]:
    """List the file and the anchor of each link; of a numbered thing by its label."""
    for link in LINK.finditer(text):
        name, anchor = link["page"], link["anchor"]
        if not name:
            yield ROOT / NUMBERS[anchor].file, anchor
        else:
            yield (page.parent / name).resolve(), anchor


def parts(file: Path) -> set[str]:
    """Collect the anchors of a notebook and of its headings."""
    texts = [cell.source for _, cell in markdown_cells(read_notebook(file))]
    titles = {make_id(title) for text in texts for title in headings(text)}
    return titles | {label for text in texts for label in anchors(text)}
