"""Fold in notebooks what the site folds: solutions, and code that only draws.

JupyterLab folds the section below a heading, and the code of a cell, by metadata of the
cell. Colab folds the sections that the notebook's metadata names, by an id that its
cells keep among their metadata, and the code of a cell that it may show as a form.
"""

from nbformat import NotebookNode

from bookkit.book.boxes import SOLUTION, is_markdown, read_box
from bookkit.book.notebooks import HIDE_INPUT, REMOVE_CELL, tags


def fold(notebook: NotebookNode) -> None:
    """Write into the metadata of a notebook, in place, what is folded at first."""
    folded = []
    for cell in notebook.cells:
        box = read_box(cell.source) if is_markdown(cell) else None
        if box and box.kind == SOLUTION:
            cell.metadata |= {"id": cell.id, "jp-MarkdownHeadingCollapsed": True}
            folded.append(cell.id)
        elif {HIDE_INPUT, REMOVE_CELL}.intersection(tags(cell)):
            hidden = NotebookNode(source_hidden=True)
            cell.metadata |= {"cellView": "form", "jupyter": hidden}
    if folded:
        notebook.metadata["colab"] = NotebookNode(collapsed_sections=folded)
