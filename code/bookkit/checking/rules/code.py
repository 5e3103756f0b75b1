"""Rules about code cells and what they print: short, plain, fresh, on any machine."""

import copy
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells, output_text, printed_text
from bookkit.book.errors import BookError
from bookkit.book.files import parse_code, relative_name
from bookkit.book.notebooks import REMOVE_CELL, cell_name, tags
from bookkit.writing.draw import DrawError, draw_cells

MAX_LINES = 20
# Every cell has such a line, and those that change have more.
_CHANGED = re.compile(r"^\+\+\+ .*:cell (\d+)\n@@", re.MULTILINE)
# What a page has room for, with no line cut, beside the contents on a usual screen.
_LONGEST = 88
_NUMBER = re.compile(r"[-+]?\d(?:[\d.,]*\d)?(?:e[-+]?\d+)?")
_TRAINS = re.compile(r"\bbackward\(\)|\btrain\(")
# Lines that are alike but for their numbers are rows; of two a reader sees the pair.
_MOST_ALIKE = 2
_MACHINE = {
    "a device": re.compile(r"\b(?:cpu|cuda|mps|xpu)\b"),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "an absolute path": re.compile(r"(?<![\w.:/)\]}])/[\w.-]+/[\w.-]+|\b[A-Z]:\\\w"),
    "a version": re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.]*\.\d)"),
    "a date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
    "a time of day": re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b"),
    "a progress bar": re.compile(r"\d%\||\r"),
}


def code_is_plain_python(notebook: NotebookNode, path: Path) -> list[str]:
    """Every code cell is Python: no magic and no shell command.

    For engineers, who copy a cell into a program of their own.
    """
    return [
        f"{name} must be plain Python, without magics or shell commands."
        for name, cell in code_cells(notebook)
        if parse_code(cell.source) is None
    ]


def code_is_short(notebook: NotebookNode, path: Path) -> list[str]:
    """A code cell has at most 20 lines, drawn cells and the bootstrap excepted.

    For newcomers: a cell is one idea, and seen at one glance.
    """
    return [
        f"{name} must have at most {MAX_LINES} lines, and has {length}; split it."
        for name, cell in code_cells(notebook)
        if (length := len(cell.source.splitlines())) > MAX_LINES
        and "draw" not in cell.metadata
        and REMOVE_CELL not in tags(cell)
    ]


def drawn_cells_are_fresh(notebook: NotebookNode, path: Path) -> list[str]:
    """Drawn cells hold the source that the package holds.

    For engineers: what they read is what they import.
    """
    try:
        stale = draw_cells(copy.deepcopy(notebook), path.name)
    except DrawError as error:
        return [str(error)]
    return [f"{sentence}; run `make draw`." for sentence in stale]


def code_passes_ruff(notebook: NotebookNode, path: Path) -> list[str]:
    """Code is in the form and keeps the rules that ruff checks for `make lint`.

    For engineers: the code of all pages reads alike.
    """
    faults = json.loads(_ruff("check", "--output-format", "json", path))
    formatted = _CHANGED.findall(_ruff("format", "--diff", path))
    return [
        *(
            f"{cell_name(notebook, fault['cell'] - 1)}, line "
            f"{fault['location']['row']}: {fault['message']} ({fault['code']})."
            for fault in faults
        ),
        *(
            f"{cell_name(notebook, int(number) - 1)} must have another form; run "
            f"`.venv/bin/python -m ruff format {relative_name(path)}`."
            for number in formatted
        ),
    ]


def _ruff(*words: str | Path) -> str:
    """Return what ruff says of a notebook; it must be able to read that."""
    command = [sys.executable, "-m", "ruff", *words]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if "check" in words and not done.stdout:
        raise BookError(
            f"ruff must judge the notebook, and cannot: {done.stderr.strip()}"
        )
    return done.stdout


def nothing_warns(notebook: NotebookNode, path: Path) -> list[str]:
    """No cell writes to the error stream: a warning is a fault to fix.

    For newcomers, whom a warning would let doubt their own machine.
    """
    return [
        f"{name} writes to the error stream: {output.text.strip()[:80]!r}."
        for name, cell in code_cells(notebook)
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]


def outputs_hide_the_machine(notebook: NotebookNode, path: Path) -> list[str]:
    """No output shows a device, an address, a path, a version, a date or a time.

    For readers in Colab: what they get is what they read.
    """
    return [
        f"{name} shows {what}: {found.group()!r}; print something that stays."
        for name, cell in code_cells(notebook)
        for output in cell.outputs
        for what, pattern in _MACHINE.items()
        if (found := pattern.search(output_text(output)))
    ]


def lines_are_seen_whole(notebook: NotebookNode, path: Path) -> list[str]:
    """No line of an output is longer than what a page has room for: 88 signs.

    For readers online: no line is cut off.
    """
    return [
        f"{name} prints {len(line.rstrip())} signs on a line, of which {_LONGEST} can "
        f"be seen: {line[:40]!r}; print them on two lines."
        for name, cell in code_cells(notebook)
        for output in cell.outputs
        for line in printed_text(output).splitlines()
        if len(line.rstrip()) > _LONGEST
    ]


def results_are_tables(notebook: NotebookNode, path: Path) -> list[str]:
    """A result of three rows or more is a Table; a training may say how it goes.

    For readers on a phone, and for those who hear the page: a table has a head.
    """
    return [
        f"{name} prints {count} rows such as {row!r}; show them in a "
        "`chapters.tables.Table`."
        for name, cell in code_cells(notebook)
        if not _TRAINS.search(cell.source)
        for row, count in _rows(cell).items()
        if count > _MOST_ALIKE
    ]


def _rows(cell: NotebookNode) -> Counter[str]:
    """Count the printed lines of words and numbers that differ in their numbers."""
    printed = [o.text for o in cell.outputs if o.output_type == "stream"]
    lines = [" ".join(line.split()) for line in "".join(printed).splitlines()]
    alike = [_NUMBER.sub("#", line) for line in lines if re.search("[A-Za-z]", line)]
    return Counter(line for line in alike if "#" in line)
