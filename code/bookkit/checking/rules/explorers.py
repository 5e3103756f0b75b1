"""Rules about explorers: described like figures, alone on their feet, and light."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells, explorer_names, html_of
from bookkit.checking.rules.figures import figure_name

MAX_KILOBYTES = 60
_ASKING = re.compile(r"""\b(?:src|href)=|url\(|@import|\bimport\b|\bfetch\(|//[a-z]""")


def explorers_are_described(notebook: NotebookNode, path: Path) -> list[str]:
    """An explorer has its own name as a figure, a caption, and a name for the ear."""
    breaches = []
    for name, cell in code_cells(notebook):
        for explorer in explorer_names(cell):
            settings = cell.metadata.get("mystnb", {}).get("figure", {})
            wanted = f"fig-explorer-{explorer.replace('_', '-')}"
            if figure_name(cell) != wanted:
                breaches.append(
                    f"{name} shows an explorer and must name its figure "
                    f"'{wanted}', and names it {figure_name(cell)!r}."
                )
            if not settings.get("caption", "").strip():
                breaches.append(f"{name} shows an explorer without a caption.")
            if not re.search(r'aria-label="\s*[^"\s]', html_of(cell)):
                breaches.append(f"{name} shows an explorer without an aria-label.")
    return breaches


def html_is_an_explorer_that_stands_alone(
    notebook: NotebookNode, path: Path
) -> list[str]:
    """HTML comes from an explorer, is small, and needs no other file and no id."""
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
