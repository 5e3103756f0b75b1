"""Bring an executed notebook to the one content that every run of it gives.

It folds what the site folds: solutions, and code that only draws. JupyterLab folds the
section below a heading, and the code of a cell, by metadata of the cell. Colab folds
the sections that the notebook's metadata names, by an id that its cells keep among
their metadata, and the code of a cell that it may show as a form.
"""

import re
from textwrap import fill

from nbformat import NotebookNode

from bookkit.book.boxes import SOLUTION, is_markdown, read_box
from bookkit.book.notebooks import (
    HIDE_INPUT,
    IGNORE_OUTPUT,
    REMOVE_CELL,
    TEXT,
    kept,
    seen,
    tags,
)

TRANSIENT_CELL = (
    "ExecuteTime",
    "cellView",
    "collapsed",
    "colab",
    "execution",
    "executionInfo",
    "id",
    "jp-MarkdownHeadingCollapsed",
    "jupyter",
    "outputId",
    "pycharm",
    "scrolled",
    "vscode",
)
TRANSIENT_NOTEBOOK = ("accelerator", "colab", "toc", "vscode", "widgets")
IMAGES = ("image/svg+xml", "image/png", "image/jpeg")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
_LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}


def normalize(notebook: NotebookNode) -> None:
    """Bring an executed notebook to its canonical content, in place.

    Transient metadata goes, counts run from 1 to n, consecutive streams of one name
    become one, and each image carries the alt text of its cell, once more as words to
    read in its place, and no page beside it.
    """
    count = 0
    normalize_metadata(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            ran = cell.source.strip() != "" and cell.execution_count is not None
            count += ran
            _normalize_code(cell, count if ran else None)


def normalize_metadata(notebook: NotebookNode) -> None:
    """Leave in the metadata, in place, what says how the notebook is shown."""
    for key in TRANSIENT_NOTEBOOK:
        notebook.metadata.pop(key, None)
    notebook.metadata.update(kernelspec=KERNELSPEC, language_info=_LANGUAGE)
    for cell in notebook.cells:
        for key in TRANSIENT_CELL:
            cell.metadata.pop(key, None)
    fold(notebook)


def in_words(alt: str) -> str:
    """Return what JupyterLab shows for a figure until it trusts the notebook.

    It would break a long line within words.
    """
    return fill(
        f"A figure, shown once you run the notebook. {alt}",
        width=80,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _normalize_code(cell: NotebookNode, count: int | None) -> None:
    """Give a code cell its count, and its outputs their canonical form."""
    cell.execution_count = count
    cell.outputs = _merged(cell.outputs)
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt")
    for output in cell.outputs:
        if "data" in output:
            output.data = kept(output.data)
        if output.output_type == "execute_result":
            output.execution_count = count
        if output.output_type == "error":
            # The frames name files of this machine; the reader needs the message.
            output.traceback = [plain(f"{output.ename}: {output.evalue}")]
        for kind in IMAGES:
            if alt and kind in output.get("data", {}):
                output.metadata.setdefault(kind, NotebookNode())["alt"] = alt
                output.data[TEXT] = in_words(alt)


def _merged(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join consecutive stream outputs of the same name into one."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else None
        is_stream = last is not None and output.output_type == "stream"
        if is_stream and last.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def keep_measurements(stored: NotebookNode, executed: NotebookNode) -> None:
    """Keep the stored outputs of ignored cells that differ in their numbers only."""
    for old, new in zip(stored.cells, executed.cells, strict=True):
        if IGNORE_OUTPUT in tags(new) and _shapes(old) == _shapes(new):
            new.outputs = old.outputs
            _normalize_code(new, new.execution_count)


def _shapes(cell: NotebookNode) -> list[tuple]:
    """Describe the outputs of a cell without their numbers and drawings."""
    return [
        (
            output.output_type,
            _NUMBER.sub("0", output.get("text", "")),
            _NUMBER.sub("0", seen(output.get("data", {})).get(TEXT, "")),
            sorted(output.get("data", {})),
        )
        for output in cell.outputs
    ]


def plain(text: str) -> str:
    """Remove the color codes of a terminal from a message."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


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
