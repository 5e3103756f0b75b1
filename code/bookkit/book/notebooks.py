"""Read, write, list and locate notebooks: one canonical form on disk."""

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from os.path import lexists
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode
from nbformat.validator import iter_validate

from bookkit.book.errors import BookError
from bookkit.book.files import read_file, relative_name, replace_files

CONTENTS = "_toc.yml"
CHINESE = "zh/"  # the start of the pages in Chinese, which are written from the others
# Tags of cells.
IGNORE_OUTPUT = "nbval-ignore-output"
HIDE_INPUT, REMOVE_CELL = "hide-input", "remove-cell"
STARTER, SOLVED = "exercise-starter", "exercise-solution"
RAISES = frozenset(["raises-exception", "nbval-raises-exception"])
SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same, ten times as fast
# Kinds of outputs: words, a page, a figure, and its form for a phone.
TEXT, HTML = "text/plain", "text/html"
SVG = "image/svg+xml"
NARROW = "application/vnd.tested-transformer.narrow+svg"


def find_invalidity(document: object) -> str | None:
    """Return what keeps a document from being a valid notebook 4.5, or None."""
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        return "must be a notebook with a list of cells; restore it."
    version = document.get("nbformat"), document.get("nbformat_minor")
    if version != (4, 5):
        return (
            f"must have nbformat 4.5, and has {version[0]}.{version[1]}; save it "
            "again with a current Jupyter."
        )
    for error in iter_validate(document, version=4, version_minor=5):
        place = ".".join(map(str, error.absolute_path)) or "its top"
        fault = error.message.splitlines()[0][:200]
        return (
            f"is no valid notebook: {fault} (at {place}); save it again with a current "
            "Jupyter."
        )
    ids = [cell["id"] for cell in document["cells"]]
    if not ids:
        return "must have cells, and has none; write its title."
    if repeated := sorted({name for name in ids if ids.count(name) > 1}):
        return f"must have unique cell ids, and repeats {', '.join(repeated)}."
    return None


def notebook_paths(root: Path) -> list[Path]:
    """List every notebook under `book/`, sorted by path."""
    found = sorted((root / "book").rglob("*.ipynb"))
    return [path for path in found if ".ipynb_checkpoints" not in path.parts]


def contents(root: Path) -> list[str]:
    """List the pages of `_toc.yml` in reading order, without file extensions.

    Those in Chinese are left out.
    """
    listed = _toc_entries(read_yaml(root / CONTENTS) or {})
    return [page for page in listed if not page.startswith(CHINESE)]


def _toc_entries(node: object) -> Iterator[str]:
    """Walk a table of contents, top-down, and yield its file entries."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key in ("root", "file"):
                yield str(value)
            else:
                yield from _toc_entries(value)
    elif isinstance(node, list):
        for item in node:
            yield from _toc_entries(item)


def chapters(root: Path) -> list[Path]:
    """List the notebooks of the book in the order of `_toc.yml`.

    Raises:
        BookError: A notebook under `book/` is missing from `_toc.yml`.
    """
    ordered = [root / f"{page.removesuffix('.ipynb')}.ipynb" for page in contents(root)]
    # What stands in the place of a file, such as a lost link, fails when it is read.
    ordered = [path for path in ordered if lexists(path)]
    for path in notebook_paths(root):
        if path not in ordered:
            name = relative_name(path, root)
            raise BookError(
                f"{CONTENTS} must list every notebook, and {name} is missing; add it."
            )
    return ordered


def read_yaml(path: Path) -> object:
    """Read a YAML file; a broken one is an error that names it."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=SAFE)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise BookError(f"{path.name} must be readable YAML: {reason}") from error


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook of the book, which must be valid nbformat 4.5.

    Raises:
        BookError: The file is missing, is no JSON, or no valid notebook 4.5.
    """
    return load_notebook(path, relative_name(path))


def load_notebook(path: Path, name: str) -> NotebookNode:
    """Read a notebook wherever it lies; messages call it by its name."""
    return parse_notebook(read_file(path, name), name)


def parse_notebook(text: str, name: str) -> NotebookNode:
    """Read a notebook from its text; messages call it by its name."""
    try:
        return copy.deepcopy(_parsed(text))  # which a caller may change
    except ValueError as error:
        raise BookError(f"{name} {error}") from error


@lru_cache(maxsize=64)
def _parsed(text: str) -> NotebookNode:
    """Parse and check a notebook, once for each text."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ValueError(
            f"must be a notebook in JSON, and is not: {error}; restore it from the "
            "last commit."
        ) from error
    if problem := find_invalidity(document):
        raise ValueError(problem)
    # Lines of a text are a list on disk, and one string here.
    return nbformat.v4.nbjson.JSONReader().to_notebook(document)


def canonical_bytes(notebook: NotebookNode) -> bytes:
    """Serialize a notebook in the one form kept in the repository.

    Sorted keys, an indent of one, letters of all scripts as they are, one newline
    at the end: a change of a cell is a change of its own lines only.
    """
    text = nbformat.v4.nbjson.JSONWriter().writes(notebook)
    return (text.rstrip("\n") + "\n").encode("utf-8")


def write_notebook(path: Path, notebook: NotebookNode) -> bool:
    """Write a notebook in canonical form, if that changes a byte of the file.

    Returns:
        Whether the file changed.

    Raises:
        BookError: The notebook is invalid.
    """
    return bool(write_notebooks({path: notebook}))


def write_notebooks(notebooks: Mapping[Path, NotebookNode]) -> list[Path]:
    """Write notebooks in canonical form, all or none, and return those that changed.

    Raises:
        BookError: One of them is invalid.
    """
    changes = {
        path: checked_bytes(path, notebook) for path, notebook in notebooks.items()
    }
    changes = {
        path: data
        for path, data in changes.items()
        if not path.is_file() or path.read_bytes() != data
    }
    replace_files(changes)
    return list(changes)


def checked_bytes(path: Path, notebook: NotebookNode) -> bytes:
    """Serialize a notebook that a later reading would accept."""
    name = relative_name(path)
    if problem := find_invalidity(notebook):
        raise BookError(f"{name} {problem}")
    return canonical_bytes(notebook)


def renew_notebooks(
    paths: Iterable[Path], *renewals: Callable[[NotebookNode, str], list[str]]
) -> list[str]:
    """Change notebooks, all or none.

    Args:
        paths: The notebooks.
        *renewals: Each changes a notebook in place, given its name, and returns a
            sentence for each change.

    Returns:
        The sentences.
    """
    renewed, said = {}, []
    for path in paths:
        notebook, name = read_notebook(path), relative_name(path)
        sentences = [s for renewal in renewals for s in renewal(notebook, name)]
        if sentences:
            renewed[path] = notebook
        said += sentences
    write_notebooks(renewed)
    return said


def kept(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the book keeps of an output: of a page with a drawing, the drawing.

    Such a page runs a model, and is there for a notebook that is run.
    """
    return {k: shown for k, shown in data.items() if k != HTML or SVG not in data}


def seen(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows of an output: of an image with its words, the image.

    The words are there for JupyterLab, which shows no image of a notebook that it does
    not trust yet. A cell that runs calls its figure by a size, and not by these words.
    """
    is_image = any(kind.startswith("image/") for kind in data)
    return {k: v for k, v in kept(data).items() if k != TEXT or not is_image}


def cell_name(notebook: NotebookNode, index: int) -> str:
    """Name a cell by its place among all cells and, for code, among code cells."""
    number = f"cell {index + 1}"
    if notebook.cells[index].cell_type != "code":
        return number
    before = notebook.cells[: index + 1]
    return f"{number} (code cell {sum(cell.cell_type == 'code' for cell in before)})"


def tags(cell: NotebookNode) -> list[str]:
    """List the tags of a cell."""
    return list(cell.metadata.get("tags", []))
