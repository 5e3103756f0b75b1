"""Rules about figures and explorers: told in words, light, drawn by the package."""

import base64
import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import Box, caption_below
from bookkit.book.cells import code_cells, explorer_names, html_of, images
from bookkit.book.notebooks import HIDE_INPUT, TEXT, cell_name, tags
from bookkit.writing.normalize import in_words

MAX_KILOBYTES = 400
MIN_ALT = 20  # characters
_KINDS = ("image/svg+xml", "image/png")
MAX_EXPLORER_KILOBYTES = 60
_ASKING = re.compile(r"""\b(?:src|href)=|url\(|@import|\bimport\b|\bfetch\(|//[a-z]""")


def figures_are_described(notebook: NotebookNode, path: Path) -> list[str]:
    """A cell that shows an image has alt text, and a caption below it.

    For readers who hear the page.
    """
    breaches = []
    for index, cell in enumerate(notebook.cells):
        caption, shown = caption_below(notebook, index), images(cell)
        name = cell_name(notebook, index)
        if cell.cell_type != "code":
            if caption:
                breaches.append(f"{name} stands above a caption; a figure must.")
            continue
        missing = _missing_words(cell, caption, shown) if shown else []
        breaches += [f"{name} shows a figure without {what}." for what in missing]
        count = len(shown) + len(explorer_names(cell))
        if caption and count != 1:
            breaches.append(
                f"{name} has one caption and shows {count} figures; show exactly one."
            )
    return breaches


def _missing_words(
    cell: NotebookNode, caption: Box | None, shown: list[NotebookNode]
) -> list[str]:
    """List what a figure lacks in words."""
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    alts = [
        value.get("alt")
        for output in shown
        for kind, value in output.metadata.items()
        if kind in output.data and isinstance(value, dict)
    ]
    words = [output.data.get(TEXT) for output in shown]
    is_told = alts == [alt] * len(shown) and {*words} == {in_words(alt)}
    checks = {
        "a name that starts with 'fig-'": caption and caption.label.startswith("fig-"),
        "a caption": caption and caption.body.strip(),
        f"alt text of {MIN_ALT} characters or more": len(alt.strip()) >= MIN_ALT,
        "its alt text in the output (run `make run`)": is_told,
    }
    return [what for what, is_there in checks.items() if not is_there]


def figures_hide_their_code(notebook: NotebookNode, path: Path) -> list[str]:
    """The code of a figure is folded away on the page.

    For newcomers, who look at the figure and not at how it is drawn.
    """
    return [
        f"{name} shows a figure; tag it {HIDE_INPUT}."
        for name, cell in code_cells(notebook)
        if (images(cell) or explorer_names(cell)) and HIDE_INPUT not in tags(cell)
    ]


def figures_are_small_drawings(notebook: NotebookNode, path: Path) -> list[str]:
    """A figure is one SVG or PNG of at most 400 kilobytes, the same at every run.

    For readers on a phone: a page comes quickly, and its figures are sharp.
    """
    return [
        f"{name} {fault}"
        for name, cell in code_cells(notebook)
        for output in images(cell)
        for fault in _drawing_faults(output)
    ]


def _drawing_faults(output: NotebookNode) -> list[str]:
    """List what is wrong with the file of a figure."""
    kinds = [kind for kind in output.data if kind.startswith("image/")]
    if len(kinds) != 1 or kinds[0] not in _KINDS:
        return [f"must show one SVG or PNG, and shows {', '.join(kinds)}."]
    content = output.data[kinds[0]]
    is_png = kinds[0] == "image/png"
    size = len(base64.b64decode(content) if is_png else content.encode()) / 1000
    faults = []
    if size > MAX_KILOBYTES:
        faults.append(
            f"shows a figure of {size:.0f} kB, more than {MAX_KILOBYTES}; rasterize "
            "its dense parts."
        )
    if "<dc:date>" in content:
        faults.append("shows a figure that carries a date; use the book's style.")
    return faults


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
    if size > MAX_EXPLORER_KILOBYTES:
        faults.append(
            f"shows {size:.0f} kB of HTML, more than {MAX_EXPLORER_KILOBYTES}."
        )
    if found := _ASKING.search(html):
        faults.append(f"shows HTML that asks for another file: {found.group()!r}.")
    if re.search(r"<[^>]*\sid=", html):
        faults.append("shows HTML with an id; two of them could not stand on a page.")
    return faults
