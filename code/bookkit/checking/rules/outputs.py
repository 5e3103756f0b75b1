"""Rules about outputs: they mean something on every machine and on every day."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells, output_text, printed_text

# What a page has room for, with no line cut, beside the contents on a usual screen.
_LONGEST = 88
_MACHINE = {
    "a device": re.compile(r"\b(?:cpu|cuda|mps|xpu)\b"),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "an absolute path": re.compile(r"(?<![\w.:/)\]}])/[\w.-]+/[\w.-]+|\b[A-Z]:\\\w"),
    "a version": re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w.]*\.\d)"),
    "a date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
    "a time of day": re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b"),
    "a progress bar": re.compile(r"\d%\||\r"),
}


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
