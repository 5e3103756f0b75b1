"""Lay an exercise out: its cells, its properties and its answers, yet to be written.

What is laid fits together, and shows what a run gives: `make check` names what the
author has still to write, and nothing else.
"""

import re
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from bookkit.book.boxes import EXERCISE, Box, write_box
from bookkit.book.cells import EXERCISES, parts
from bookkit.book.errors import BookError
from bookkit.book.files import find_root, read_file, relative_name, replace_files
from bookkit.book.notebooks import (
    SOLVED,
    STARTER,
    checked_bytes,
    notebook_paths,
    read_notebook,
)
from bookkit.book.numbering import page_labels
from bookkit.writing.normalize import normalize

LABEL = re.compile(r"ex-[a-z0-9]+(?:-[a-z0-9]+)*")
ANSWERS = '''\
"""Properties of the answers to the exercises of one chapter."""

from chapters.exercises import Property

EXERCISES = {
}
'''
CASES = '''\
"""Answers to the exercises of one chapter, right ones and wrong ones."""

RIGHT = [
]

WRONG = [
]
'''
MUST_HOLD = "TODO: say what must hold."


def lay_exercise(path: Path, label: str, title: str) -> list[str]:
    """Lay an exercise out at the end of a notebook's exercises; name what changed.

    Args:
        path: The notebook.
        label: The label, such as ex-window.
        title: The words of the heading.

    Raises:
        BookError: One of them will not do; nothing is changed.
    """
    root = find_root(path)
    _check_names(root, label, title)
    notebook = read_notebook(path)
    place = _end_of_exercises(notebook, relative_name(path, root))
    notebook.cells[place:place] = _cells(label, title.strip())
    normalize(notebook)
    files = {path: checked_bytes(path, notebook)}
    right, wrong = f'("{label}", ("TODO",))', f'("{label}", ("TODO",), "TODO")'
    entry = (
        f'"{label}": [\n        Property("{MUST_HOLD}", lambda answer: False),\n    ]'
    )
    for room, name, empty, entries in (
        ("code", "answers.py", ANSWERS, {"EXERCISES = {": entry}),
        ("tests", "cases.py", CASES, {"RIGHT = [": right, "WRONG = [": wrong}),
    ):
        file = root / room / "chapters" / path.stem / name
        called = relative_name(file, root)
        text = read_file(file, called) if file.exists() else empty
        for begin, one in entries.items():
            text = _with_entry(text, called, begin, f"    {one},\n")
        files[file] = text.encode()
    replace_files(files)
    return [relative_name(file, root) for file in files]


def _check_names(root: Path, label: str, title: str) -> None:
    """Check that a label is one and new, and that a title has words."""
    if not LABEL.fullmatch(label):
        raise BookError(
            "LABEL must be ex- and words in small letters with hyphens between, got "
            f"{label!r}; try LABEL=ex-window."
        )
    if not title.strip() or "\n" in title:
        raise BookError(
            f"TITLE must be the words of a heading, got {title!r}; try "
            'TITLE="A window".'
        )
    for page in notebook_paths(root):
        if label in page_labels(page):
            raise BookError(
                f"LABEL must be new, and {label!r} stands in "
                f"{relative_name(page, root)}; choose another."
            )


def _end_of_exercises(notebook: NotebookNode, name: str) -> int:
    """Return the place behind the last cell of the section of exercises."""
    inside = [part.cell for part in parts(notebook) if part.section == EXERCISES]
    if not inside:
        raise BookError(
            f"{name} must have a section '## {EXERCISES}', and has none; write the "
            "heading in a cell of its own, and above it a cell with "
            "`from chapters.exercises import check`."
        )
    return notebook.cells.index(inside[-1]) + 1


def _cells(label: str, title: str) -> list[NotebookNode]:
    """Make the cells of an exercise and of its solution."""
    asked = "TODO: say what is asked, and what goes into the check."
    box = Box(kind=EXERCISE, label=label, title=title, body=asked)
    return [
        new_markdown_cell(write_box(box), id=label),
        _checking(label, STARTER, "an answer that is wrong for a good reason"),
        new_markdown_cell("#### Solution", id=f"solution-{label}"),
        new_markdown_cell(
            "TODO: say why it is so, and what is wrong in the starter.",
            id=f"text-of-solution-{label}",
        ),
        _checking(label, SOLVED, "the right answer"),
    ]


def _checking(label: str, tag: str, what: str) -> NotebookNode:
    """Make a cell that checks an answer, with the output of its first run."""
    return new_code_cell(
        f'answer = None  # TODO: {what}\ncheck("{label}", answer)',
        id=f"{tag}-{label}",
        execution_count=1,  # which is counted anew with those of the other cells
        metadata={"tags": [tag]},
        outputs=[new_output("stream", name="stdout", text=f"Not yet: {MUST_HOLD}\n")],
    )


def _with_entry(text: str, name: str, begin: str, entry: str) -> str:
    """Put an entry behind the last one of what begins with a line."""
    lines, end = text.splitlines(keepends=True), {"[": "]\n", "{": "}\n"}[begin[-1]]
    start = lines.index(f"{begin}\n") if f"{begin}\n" in lines else len(lines)
    if end not in lines[start:]:
        raise BookError(
            f"{name} must have a line '{begin}' and below it a line '{end.strip()}', "
            "and has not; write both."
        )
    lines.insert(lines.index(end, start), entry)
    return "".join(lines)
