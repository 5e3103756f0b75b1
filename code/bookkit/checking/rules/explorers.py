"""Rules about explorers: described like figures, alone on their feet, and light."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import caption_below
from bookkit.book.cells import code_cells, explorer_names, html_of
from bookkit.book.notebooks import cell_name

MAX_KILOBYTES = 60
_ASKING = re.compile(r"""\b(?:src|href)=|url\(|@import|\bimport\b|\bfetch\(|//[a-z]""")


def explorers_are_described(notebook: NotebookNode, path: Path) -> list[str]:
    """An explorer has its own name as a figure, a caption, and a name for the ear.

    For readers who hear the page.
    """
    breaches = []
    for index, cell in enumerate(notebook.cells):
        for explorer in explorer_names(cell) if cell.cell_type == "code" else []:
            name, caption = cell_name(notebook, index), caption_below(notebook, index)
            wanted = f"fig-explorer-{explorer.replace('_', '-')}"
            if caption is None or not caption.body.strip():
                breaches.append(f"{name} shows an explorer without a caption.")
            if caption is None or caption.label != wanted:
                breaches.append(
                    f"{name} shows an explorer and must name its figure '{wanted}', "
                    f"and names it {caption.label if caption else None!r}."
                )
            if not re.search(r'aria-label="\s*[^"\s]', html_of(cell)):
                breaches.append(f"{name} shows an explorer without an aria-label.")
    return breaches


def html_is_an_explorer_that_stands_alone(
    notebook: NotebookNode, path: Path
) -> list[str]:
    """HTML comes from an explorer, is small, and needs no other file and no id.

    For readers online: a page comes quickly, and asks nobody else.
    """
    return [
        f"{name} {fault}"
        for name, cell in code_cells(notebook)
        if (html := html_of(cell))
        for fault in _faults(html, len(explorer_names(cell)))
    ]


def _faults(html: str, count: int) -> list[str]:
    """List what is wrong with the HTML of a cell."""
    size = len(html.encode()) / 1000
    faults = []
    if count != 1:
        faults.append(f"must show HTML of one explorer, and shows {count}.")
    if size > MAX_KILOBYTES:
        faults.append(f"shows {size:.0f} kB of HTML, more than {MAX_KILOBYTES}.")
    if found := _ASKING.search(html):
        faults.append(f"shows HTML that asks for another file: {found.group()!r}.")
    if re.search(r"<[^>]*\sid=", html):
        faults.append("shows HTML with an id; two of them could not stand on a page.")
    return faults
