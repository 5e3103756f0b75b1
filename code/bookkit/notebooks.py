"""Read, write, list and locate notebooks: one canonical form on disk."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode
from nbformat.validator import iter_validate

CONFIG = "_config.yml"
CONTENTS = "_toc.yml"


class NotebookError(Exception):
    """What is wrong with a file of the book, where, and what to do about it."""


def find_root(start: Path | None = None) -> Path:
    """Find the book's root: the nearest folder that holds `_config.yml`.

    Args:
        start: A file or folder inside the book; the working directory when omitted.

    Raises:
        NotebookError: No folder above `start` holds a `_config.yml`.
    """
    start = Path.cwd() if start is None else Path(os.path.abspath(start))
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise NotebookError(
        f"The book's root holds {CONFIG}, and neither {start} nor a folder above it "
        "does; run the command inside the book's repository."
    )


def relative_name(path: Path, root: Path | None = None) -> str:
    """Name a file as a reader of messages knows it: relative to the book's root."""
    path = Path(os.path.abspath(path))
    root = find_root(path) if root is None else Path(os.path.abspath(root))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def notebook_paths(root: Path) -> list[Path]:
    """List every notebook under `book/`, sorted by path."""
    found = (root / "book").rglob("*.ipynb")
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def contents(root: Path) -> list[str]:
    """List the pages of `_toc.yml` in reading order, without file extensions."""
    table = read_yaml(root / CONTENTS)
    return list(_toc_entries(table)) if table else []


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
        NotebookError: A notebook under `book/` is missing from `_toc.yml`.
    """
    ordered = [root / f"{page.removesuffix('.ipynb')}.ipynb" for page in contents(root)]
    ordered = [path for path in ordered if path.is_file()]
    for path in notebook_paths(root):
        if path not in ordered:
            name = relative_name(path, root)
            raise NotebookError(
                f"{CONTENTS} must list every notebook, and {name} is missing; add it."
            )
    return ordered


def read_yaml(path: Path) -> object:
    """Read a YAML file; a broken one is an error that names it."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise NotebookError(f"{path.name} must be readable YAML: {reason}") from error


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook that must be valid nbformat 4.5.

    Raises:
        NotebookError: The file is missing, no JSON, or no valid notebook 4.5.
    """
    name = relative_name(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotebookError(f"{name} must be a readable file: {error}.") from error
    return parse_notebook(text, name)


def parse_notebook(text: str, name: str) -> NotebookNode:
    """Read a notebook from its text; messages call it by its name."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise NotebookError(
            f"{name} must be a notebook in JSON, and is not: {error}; restore it from "
            "the last commit."
        ) from error
    if problem := find_invalidity(document):
        raise NotebookError(f"{name} {problem}")
    return _rejoined(document)


def _rejoined(document: dict) -> NotebookNode:
    """Join the lists of lines of a notebook on disk to strings."""
    return nbformat.v4.nbjson.JSONReader().to_notebook(document)


def find_invalidity(document: object) -> str | None:
    """Say what keeps a document from being a valid notebook 4.5, if anything does."""
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        return "must be a notebook with a list of cells; restore it."
    version = document.get("nbformat"), document.get("nbformat_minor")
    if version != (4, 5):
        return (
            f"must have nbformat 4.5, and has {version[0]}.{version[1]}; save it "
            "again with a current Jupyter."
        )
    for error in iter_validate(document, version=4, version_minor=5):
        return f"is no valid notebook: {error.message.splitlines()[0][:200]}"
    ids = [cell["id"] for cell in document["cells"]]
    repeated = sorted({identity for identity in ids if ids.count(identity) > 1})
    if repeated:
        return f"must have unique cell ids, and repeats {', '.join(repeated)}."
    return None


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
        NotebookError: The notebook is invalid, or lies outside the book's folder.
    """
    target, name = inside_book(path), relative_name(path)
    if problem := find_invalidity(notebook):
        raise NotebookError(f"{name} {problem}")
    data = canonical_bytes(notebook)
    if target.is_file() and target.read_bytes() == data:
        return False
    replace_file(target, data)
    return True


def inside_book(path: Path) -> Path:
    """Resolve the links in a path, which must not lead out of the book's folder."""
    book = (find_root(path) / "book").resolve()
    target = path.resolve()
    if not target.is_relative_to(book):
        raise NotebookError(
            f"A notebook must lie in the folder {book}, and {path} leads to {target}; "
            "replace the link by the file."
        )
    return target


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file in one step: a reader sees the old bytes or the new ones."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


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
