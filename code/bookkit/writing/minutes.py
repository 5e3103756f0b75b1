"""Count how long chapters take and what they compare, and write it into the book."""

import re
from math import ceil
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import EXERCISE, FIGURE, boxes, is_markdown, read_box
from bookkit.book.cells import code_cells
from bookkit.book.files import read_page, relative_name, replace_files
from bookkit.book.notebooks import (
    HIDE_INPUT,
    REMOVE_CELL,
    SOLVED,
    STARTER,
    chapters,
    checked_bytes,
    read_notebook,
    tags,
)
from bookkit.book.outline import STATED, STEP, ReadingTime
from bookkit.book.sections import EXERCISES, FURTHER_READING, Part, parts
from bookkit.writing.landing import with_times
from bookkit.writing.references import as_read

# Of prose and of code in a minute: so read those who followed each example by hand.
WORDS, LINES = 90, 9
PROOF, PICTURE = 4, 0.5  # minutes
_UNCOUNTED = {HIDE_INPUT, REMOVE_CELL, STARTER, SOLVED}
# What `chapters.laboratory.study.Verdict` says.
VERDICT = re.compile(
    r"clearly (?:ahead|behind)|(?:ahead|behind) (?:at first|in the end)"
    r"|no clear difference|turns around"
)
# The small print of a page, at its end.
COMPARED = re.compile(r"\n+\*\*Compared\*\*[^.]*\.\s*\Z")
# Two intervals of 95 % belong to a verdict, one for each budget.
BY_CHANCE = 1 - 0.95**2


def reading_time(notebook: NotebookNode) -> ReadingTime:
    """Count how long a chapter takes to read, without and with its Deeper sections.

    Exercises and further reading take time of their own, and the sentence that says
    how long the chapter takes does not count itself.
    """
    core = deeper = 0.0
    for part in parts(notebook):
        if part.section in (EXERCISES, FURTHER_READING):
            continue
        if part.deeper:
            deeper += _minutes(part)
        else:
            core += _minutes(part)
    return ReadingTime(core=_in_steps(core), whole=_in_steps(core + deeper))


def _minutes(part: Part) -> float:
    """Count how long a part takes to read."""
    if not is_markdown(part.cell):
        hidden = part.cell.metadata.get("jupyter", {}).get("source_hidden")
        if hidden or _UNCOUNTED.intersection(tags(part.cell)):
            return 0
        return len(as_read(part.text).splitlines()) / LINES
    if part.cell.get("id", "").startswith("proof-of-"):
        return PROOF
    box = read_box(part.text)
    if box and box.kind == FIGURE:
        return PICTURE
    return len(as_read(STATED.sub("", part.text)).split()) / WORDS


def _in_steps(minutes: float) -> int:
    """Round minutes up: nobody needs more than a page says."""
    return STEP * max(1, ceil(minutes / STEP))


def counted_sentence(notebook: NotebookNode) -> str:
    """Return what the first cell must say of the reading time."""
    exercises = any(box.kind == EXERCISE for _, box in boxes(notebook))
    return reading_time(notebook).sentence(exercises=exercises)


def stale_times(root: Path, *, write: bool = False) -> list[str]:
    """List the pages that say another time or count than is counted, and mend them.

    Args:
        root: The book's root.
        write: Whether to mend them; either all of them are written or none.
    """
    times, changes = {}, {}
    for path in chapters(root):
        notebook, name = read_notebook(path), relative_name(path, root)
        times[name.removeprefix("book/")] = reading_time(notebook)
        if not notebook.cells:
            continue
        first, last = notebook.cells[0], notebook.cells[-1]
        said = first.source, last.source
        first.source = STATED.sub(counted_sentence(notebook), first.source)
        last.source = COMPARED.sub("", last.source) + compared_sentence(notebook)
        if (first.source, last.source) != said:
            changes[path] = checked_bytes(path, notebook)
    index = root / "book" / "index.md"
    page = read_page(index)
    if (fresh := with_times(page, times)) != page:
        changes[index] = fresh.encode()
    if write:
        replace_files(changes)
    return [relative_name(path, root) for path in changes]


def comparisons(notebook: NotebookNode) -> int:
    """Return how many verdicts the outputs of a notebook print."""
    return sum(
        len(VERDICT.findall(_printed(output)))
        for _, cell in code_cells(notebook)
        for output in cell.outputs
    )


def compared_sentence(notebook: NotebookNode) -> str:
    """Return what a last cell says of comparisons, nothing where there are none."""
    if not (count := comparisons(notebook)):
        return ""
    pairs = f"{count} pairs" if count > 1 else "1 pair"
    chance = round(BY_CHANCE * count)
    parted = f"about {chance}" if chance else "fewer than one"
    return (
        f"\n\n**Compared** {pairs} of trained models, and if the two of each pair were "
        f"equal, {parted} would look different by chance."
    )


def _printed(output: NotebookNode) -> str:
    """Return the text of an output."""
    return output.get("text", "") or output.get("data", {}).get("text/plain", "")
