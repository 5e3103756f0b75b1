"""A rule about style, which `make lint` checks for all notebooks at once."""

import json
import re
import subprocess
import sys
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.files import relative_name
from bookkit.book.notebooks import cell_name

# Every cell has such a line, and those that change have more.
_CHANGED = re.compile(r"^\+\+\+ .*:cell (\d+)\n@@", re.MULTILINE)


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
