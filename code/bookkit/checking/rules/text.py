"""Rules about prose: it reads well on the site and in Colab."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import markdown_cells, markdown_tokens
from bookkit.book.prose import equation_labels, without_code

_POOR = {
    "{glue}": re.compile(r"\{glue(?::\w+)?\}"),
    "{code-cell}": re.compile(r"\{code-cell\}"),
}


def markdown_degrades_well(notebook: NotebookNode, path: Path) -> list[str]:
    """No markdown uses what only the site can show."""
    return [
        f"{name} uses {what}, which Colab shows as source; write it out."
        for name, cell in markdown_cells(notebook)
        for what, pattern in _POOR.items()
        if pattern.search(without_code(cell.source))
    ]


def links_have_text(notebook: NotebookNode, path: Path) -> list[str]:
    """A link has words of its own: Colab shows an empty one as nothing."""
    return [
        f"{name} links to {match[1]!r} without words; write them between the brackets."
        for name, cell in markdown_cells(notebook)
        for match in re.finditer(r"(?<!!)\[\]\(([^)]*)\)", without_code(cell.source))
    ]


def markdown_has_no_html(notebook: NotebookNode, path: Path) -> list[str]:
    """Markdown holds no raw HTML."""
    return [
        f"{name} holds raw HTML: {token.content.strip()[:60]!r}; use markdown."
        for name, cell in markdown_cells(notebook)
        for token in markdown_tokens(cell.source)
        if token.type in ("html_block", "html_inline")
    ]


def equation_labels_start_with_eq(notebook: NotebookNode, path: Path) -> list[str]:
    """The label of an equation starts with eq-."""
    return [
        f"{name} labels an equation {label!r}; let the label start with 'eq-'."
        for name, cell in markdown_cells(notebook)
        for label in equation_labels(cell.source)
        if not label.startswith("eq-")
    ]
