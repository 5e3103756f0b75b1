"""Build the site, and name the cell of each fault.

Sphinx forgets the faults of pages that it need not read again. So it is let to read
those with a fault again, or all of them if a fault is of no page.
"""

import atexit
import gc
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from bookkit.book.address import page_file
from bookkit.book.bibliography import read_bibliography
from bookkit.book.boxes import caption_below
from bookkit.book.errors import BookError, nearest_to
from bookkit.book.notebooks import contents, read_notebook
from bookkit.book.numbering import page_labels, page_slugs, shared_labels

# Any warning is an error, also of a link that leads nowhere; all of them are shown.
TOOL = "from bookkit.publishing.build import run_tool; run_tool()"
OPTIONS = ("build", ".", "-W", "-n", "--keep-going", "--quiet")
COMMAND = (sys.executable, "-c", TOOL, *OPTIONS)
TREES = "_build/.doctrees"
ALL = "environment.pickle"  # what Sphinx knows of all pages
_PLACE = re.compile(r"(?P<file>[^\s:]+\.ipynb):(?P<line>\d{5,}):")
_FILE = re.compile(r"book/[^\s:,]+\.(?:ipynb|md)")
_FAULT = re.compile(r"\b(?:WARNING|ERROR|CRITICAL): ")
# What Sphinx says of a name that nothing has.
UNKNOWN = re.compile(
    r"target not found: '(?P<file>[^']+)\.(?:ipynb|md)'"
    r"|(?:target not found: |undefined label: )'?(?P<label>[^'\s]+)'?"
    r"|could not find bibtex key \"(?P<key>[^\"]+)\""
    r"|Unknown source document '(?P<page>[^']+)'"
    r"|local id not found in doc '(?P<within>[^']+)': '(?P<part>[^']+)'"
)
# Said again by Sphinx, which then names the cell.
TWICE = re.compile(r"\.rst: WARNING: label '[^']+' not found\.$")
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
# MyST-NB counts the lines of each cell from here on.
LINES_OF_A_CELL = 10_000


class BuildError(BookError):
    """A book with a fault."""


def let_garbage_lie() -> None:
    """Let Python look for garbage rarely in this process, and not at its end.

    The trees of pages are millions of objects, which it would look through again and
    again: a build takes twice as long.
    """
    gc.set_threshold(3_000_000)
    atexit.register(gc.freeze)


def run_tool() -> None:
    """Run Jupyter Book, and exit; a fault that Sphinx has named needs no traceback."""
    let_garbage_lie()
    from jupyter_book.cli.main import main
    from sphinx.errors import SphinxError

    try:
        main()
    except RuntimeError as error:
        if not isinstance(error.__cause__, SphinxError):
            raise
        sys.exit(1)


def build(root: Path, command: tuple[str, ...] = COMMAND) -> None:
    """Build the site into `_build/html`, and print each fault.

    Raises:
        BuildError: There are faults; the next build looks for them again.
    """
    status, said = run(root, command)
    if status == 0:
        return
    for line in filter(_FAULT.search, said):
        page = _FILE.search(line)
        name = Path(page[0]).with_suffix(".doctree") if page else ALL
        (root / TREES / name).unlink(missing_ok=True)
    raise BuildError(
        "the book has a fault, named above; mend it and run 'make book' again."
    )


def run(root: Path, command: tuple[str, ...]) -> tuple[int, list[str]]:
    """Run a command, print what it says with the cells named, and return both."""
    process = subprocess.Popen(
        command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    lines = []
    with process:
        for line in process.stdout:
            said = readable(line.rstrip("\n"), root)
            if not TWICE.search(said):
                print(said, flush=True)
                lines.append(said)
    return process.returncode, lines


def readable(line: str, root: Path) -> str:
    """Return a line of Sphinx with the cell and, for an unknown name, the nearest."""
    line = name_cells(line, root)
    match = UNKNOWN.search(line)
    if match is None:
        return line
    name, own = match[match.lastgroup], _FILE.search(line)
    if match["file"] and own:
        name = posixpath.normpath(f"{posixpath.dirname(own[0])}/{name}")
    nearest = nearest_to(name, _known(match, root))
    return f"{line[: match.end()]}{nearest}{line[match.end() :]}"


def _known(unknown: re.Match, root: Path) -> Iterable[str]:
    """List the names that could stand in the place of an unknown one."""
    if unknown["key"]:
        return read_bibliography(root)
    if unknown["file"] or unknown["page"]:
        return contents(root)
    if unknown["part"]:
        file = page_file(root, unknown["within"])
        return page_labels(root / file) | page_slugs(root / file) if file else ()
    own = _FILE.search(unknown.string)
    return shared_labels(root) | (page_labels(root / own[0]) if own else set())


def name_cells(line: str, root: Path) -> str:
    """Write the place of a warning as a notebook of the book and the number of a cell.

    The line of the cell is left out: directives that its source lacks are counted in.
    A caption counts as part of its figure's cell.
    """

    def named(match: re.Match) -> str:
        file, number = match["file"], int(match["line"]) // LINES_OF_A_CELL
        path, caption = root / file, ""
        if path.exists() and caption_below(read_notebook(path), number - 1):
            caption = " or the caption below it"
        return f"{file}, cell {number}{caption}:"

    return _PLACE.sub(named, _COLOR.sub("", line).replace(f"{root}/", ""))
