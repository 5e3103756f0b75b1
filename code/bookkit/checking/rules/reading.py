"""Rules about the reader's time: what a chapter says of it, and what may be skipped."""

import re
from itertools import groupby
from os.path import lexists
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.files import read_page
from bookkit.book.notebooks import contents, read_notebook
from bookkit.book.outline import STATED
from bookkit.book.prose import without_anchors
from bookkit.book.sections import DEEPER, EXERCISES, parts
from bookkit.writing.landing import CHAPTER_ROW
from bookkit.writing.minutes import (
    COMPARED,
    compared_sentence,
    counted_sentence,
    reading_time,
)

APPENDIX = "book/appendix/"
_HEADING = re.compile(r"\A#+ .*")


def reading_time_is_stated(notebook: NotebookNode, path: Path) -> list[str]:
    """The first cell says how long a chapter takes, the last how much it compares.

    For newcomers, who plan an evening, and researchers, who ask what chance made.
    """
    first, last = notebook.cells[0].source, notebook.cells[-1].source
    wanted = {
        "The first cell must say": (STATED.findall(first), counted_sentence(notebook)),
        "The last cell must end with": (
            COMPARED.findall(last),
            compared_sentence(notebook),
        ),
    }
    breaches = []
    for must, (stated, counted) in wanted.items():
        if "".join(stated) == counted:
            continue
        said = " and ".join(sentence.strip() for sentence in stated) or "nothing"
        breaches.append(
            f"{must} '{counted.strip()}', and it says {said}; `make references` writes "
            "what was counted."
        )
    return breaches


def deeper_sections_are_whole(notebook: NotebookNode, path: Path) -> list[str]:
    """A Deeper section has a title, holds something, and is none of the exercises.

    For newcomers: what they may skip is worth a title, and optional.
    """
    breaches = []
    for heading, group in groupby(parts(notebook), key=lambda part: part.deeper):
        if not heading:
            continue
        inside = list(group)
        if heading == DEEPER:
            breaches.append(f"The heading '{DEEPER}' must go on with a title.")
        texts = (_HEADING.sub("", without_anchors(part.text)) for part in inside)
        if not any(text.strip() for text in texts):
            breaches.append(
                f"The section '{heading}' holds nothing; fill it, or remove it."
            )
        if inside[0].section == EXERCISES:
            breaches.append(
                f"The section '{heading}' stands in the exercises, which nobody must "
                "read; move it above them."
            )
    return breaches


def index_lists_every_chapter(root: Path) -> list[str]:
    """The landing page lists the chapters in order, each with its reading time.

    An appendix is looked up, not read in turn, and needs no row.

    For newcomers: the way through the book, with its minutes.
    """
    text = read_page(root / "book" / "index.md")
    rows = [(row["name"], row["time"]) for row in CHAPTER_ROW.finditer(text)]
    wanted = [
        (
            f"{name.removeprefix('book/').removesuffix('.ipynb')}.ipynb",
            reading_time(read_notebook(path)).cell,
        )
        for name in contents(root)
        if lexists(path := (root / name).with_suffix(".ipynb"))
        and not name.startswith(APPENDIX)
    ]
    if rows == wanted:
        return []
    lines = "; ".join(f"{name}, {time}" for name, time in wanted)
    return [f"book/index.md must have a row for each chapter, in this order: {lines}."]
