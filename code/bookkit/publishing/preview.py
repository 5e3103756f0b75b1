"""Build one page of the book, for a quick look at it.

The page is made with the settings and extensions of the site, and without the others:
links to them lead to where the book is published. What it names of theirs is judged
here, as `make book` would, and counted where they have it.
"""

import io
import re
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.bibliography import read_bibliography
from bookkit.book.errors import BookError
from bookkit.book.files import CONFIG, relative_name
from bookkit.book.labels import shared_labels
from bookkit.book.notebooks import read_notebook
from bookkit.book.published import page_file
from bookkit.publishing.build import TWICE, UNKNOWN, let_garbage_lie, readable

FOLDER = "_build/page"
CONTENTS = "format: jb-book\nroot: {}\n"
SUFFIXES = (".ipynb", ".md")
# What Sphinx says of links to what stands on other pages.
_ELSEWHERE = re.compile(rf"{UNKNOWN.pattern}|A drawing must lead to pages")


@dataclass(frozen=True)
class Preview:
    """A page that was built alone.

    Attributes:
        file: The page, to open in a browser.
        faults: What Sphinx finds wrong with it, each with its place.
        unseen: How many references lead to what other pages have.
    """

    file: Path
    faults: tuple[str, ...]
    unseen: int

    def told(self, root: Path) -> list[str]:
        """Say what was found, and last how to open the page."""
        lines = list(self.faults)
        if self.unseen:
            lead = (
                "1 reference leads to another page, which is"
                if self.unseen == 1
                else f"{self.unseen} references lead to other pages, which are"
            )
            lines.append(f"{lead} there but not built here.")
        count = len(self.faults)
        faults = f", with {count} fault{'s' * (count > 1)} named above" * bool(count)
        return [
            *lines,
            f"The page is ready{faults}: open {relative_name(self.file, root)}",
        ]


def preview(root: Path, source: Path) -> Preview:
    """Build the page of one notebook or text.

    Args:
        root: The root of the book.
        source: The notebook or the text, below `book/`.

    Raises:
        BookError: There is no such page, or Sphinx could make none of it.
    """
    page = _page_name(root, source)
    said = io.StringIO()
    with redirect_stderr(said):
        status = _build(root, page)
    lines = [readable(line, root) for line in said.getvalue().splitlines()]
    faults, unseen = sort_warnings([line for line in lines if line.strip()], root)
    if status != 0:
        raise BookError("\n".join([*faults, f"{page} could not be built."]))
    return Preview(root / FOLDER / "html" / f"{page}.html", tuple(faults), unseen)


def _page_name(root: Path, source: Path) -> str:
    """Return the name of a page as Sphinx has it: from the root, without its ending."""
    name = relative_name(source, root)
    if not name.startswith("book/") or source.suffix not in SUFFIXES:
        raise BookError(
            f"A page must be a notebook or a text below book/, and {name} is neither; "
            "name one such as book/attention/self_attention.ipynb."
        )
    if not (root / name).is_file():
        raise BookError(f"{name} must be there, and is not; mend the path.")
    if source.suffix == ".ipynb":
        read_notebook(source)  # Sphinx would say less of what is wrong with it
    return name.removesuffix(source.suffix)


def _build(root: Path, page: str) -> int | Exception:
    """Let Jupyter Book build a site of one page."""
    from jupyter_book.sphinx import build_sphinx

    let_garbage_lie()
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    contents = folder / "_toc.yml"
    contents.write_text(CONTENTS.format(page), encoding="utf-8")
    return build_sphinx(
        root,
        folder / "html",
        noconfig=True,
        path_config=root / CONFIG,
        confoverrides={
            "book_alone": True,
            "nitpicky": True,  # as for the book, which alone has the API
            "nitpick_ignore_regex": [("py:.*", ".*")],
            "external_toc_path": str(contents),
            "latex_individualpages": False,  # Jupyter Book wants to be told
        },
        doctreedir=folder / ".doctrees",
        freshenv=True,
        quiet=True,
    )


def sort_warnings(lines: list[str], root: Path) -> tuple[list[str], int]:
    """Tell faults of a page from what cannot be seen without the others.

    Args:
        lines: What Sphinx says of the page.
        root: The root of the book, whose labels decide.

    Returns:
        The faults, and how many lines are about other pages.
    """
    lines = [line for line in lines if not TWICE.search(line)]
    faults = [line for line in lines if not _is_elsewhere(line, root)]
    return faults, len(lines) - len(faults)


def _is_elsewhere(line: str, root: Path) -> bool:
    """Return whether a line is about what another page of the book has."""
    match = _ELSEWHERE.search(line)
    if match and match["label"]:
        return match["label"] in shared_labels(root)
    if match and match["key"]:
        return match["key"] in read_bibliography(root)
    if match and match["page"]:
        return page_file(root, match["page"]) is not None
    return match is not None and match.lastgroup is None
