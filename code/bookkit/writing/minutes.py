"""Count how long chapters, paths and the book take, and write it where it is said."""

import re
from collections.abc import Iterable, Mapping
from math import ceil
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.boxes import EXERCISE, FIGURE, boxes, is_markdown, read_box
from bookkit.book.cells import EXERCISES, FURTHER_READING, Part, code_cells, parts
from bookkit.book.files import read_page, relative_name, replace_files
from bookkit.book.notebooks import (
    HIDE_INPUT,
    REMOVE_CELL,
    SOLVED,
    STARTER,
    TEXT,
    chapters,
    checked_bytes,
    read_notebook,
    tags,
)
from bookkit.book.outline import STATED, STEP, ReadingTime
from bookkit.writing.references import as_read

CHAPTER_ROW = re.compile(
    r"^(?P<rest>\| \d+ \| \[[^\]]+\]\((?P<name>\S+)\) \|.*\|) (?P<time>[^|]+) \|$", re.M
)
_PATH_ROW = re.compile(
    r"^(?P<rest>\| \*\*(?P<path>[^|]+)\*\* \|[^|]+\|) [^|]* hours[^|]* \|$", re.M
)
_LINK = re.compile(r"\((\S+\.ipynb)\)")
_RANGE = re.compile(r"\((\S+\.ipynb)\) to \[\d+\]\((\S+\.ipynb)\)")
_ALL = re.compile(r"(?<=about )[\d½]+ hours of reading[^;.]*")
_DOOR = re.compile(r"(?P<rest>\]\((?P<name>\S+\.ipynb)\)), \d+ minutes")
_PATH_DOOR = re.compile(
    r"(?P<rest>\[[^\]]*(?P<path>one \w+)\]\(#how-long-it-takes\)), [\d½]+ hours"
)
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


def with_times(page: str, times: Mapping[str, ReadingTime]) -> str:
    """Write reading times into the landing page.

    Args:
        page: The page.
        times: The time of each notebook, by its path as the page links to it.
    """
    listed = [row["name"] for row in CHAPTER_ROW.finditer(page) if row["name"] in times]
    if not listed:
        return page

    def chapter_row(row: re.Match) -> str:
        time = times.get(row["name"])
        return f"{row['rest']} {time.cell} |" if time else row[0]

    paths = {}

    def path_row(row: re.Match) -> str:
        names = _LINK.findall(row["rest"])
        if ends := _RANGE.search(row["rest"]):
            first, last = map(listed.index, ends.groups())
            names = listed[first : last + 1]
        paths[row["path"]] = hours(times[n] for n in names if n in times)
        return f"{row['rest']} {paths[row['path']]} |"

    def door(link: re.Match) -> str:
        time = times.get(link["name"])
        return f"{link['rest']}, {time.core} minutes" if time else link[0]

    def path_door(link: re.Match) -> str:
        time = paths.get(link["path"])
        return f"{link['rest']}, {time.split(', ')[0]}" if time else link[0]

    every = hours(times[name] for name in listed)
    page = _PATH_ROW.sub(path_row, CHAPTER_ROW.sub(chapter_row, page))
    page = _ALL.sub(every.replace(" hours", " hours of reading", 1), page)
    return _PATH_DOOR.sub(path_door, _DOOR.sub(door, page))


def hours(times: Iterable[ReadingTime]) -> str:
    """Add up reading times and write them in hours, in steps of half an hour."""
    times = list(times)
    core = _in_halves(sum(time.core for time in times))
    whole = _in_halves(sum(time.whole for time in times))
    return f"{core} hours" + (f", {whole} with *Deeper*" if whole != core else "")


def _in_halves(minutes: int) -> str:
    """Write minutes as hours, such as 7½."""
    halves = max(1, int(minutes / 30 + 0.5))
    return f"{halves // 2 or ''}{'½' * (halves % 2)}"


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
        len(VERDICT.findall(output.get("text") or output.get("data", {}).get(TEXT, "")))
        for _, cell in code_cells(notebook)
        for output in cell.outputs
    )


def compared_sentence(notebook: NotebookNode) -> str:
    """Return what a last cell says of comparisons, nothing where there are none."""
    if not (count := comparisons(notebook)):
        return ""
    pairs = f"are {count} pairs" if count > 1 else "is 1 pair"
    chance = round(BY_CHANCE * count)
    parted = f"about {chance}" if chance else "fewer than one"
    return (
        f"\n\n**Compared** in the tables of this page {pairs} of trained models, "
        "judged at two budgets by intervals of 95 %, and if the two of each pair were "
        f"equally good, {parted} would still seem to differ, by chance."
    )
