"""Find, read, parse and write the files of the book, and ask when it changed."""

import ast
import os
import subprocess
import tomllib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError

CONFIG = "_config.yml"
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def find_root(start: Path | None = None) -> Path:
    """Find the book's root: the nearest folder that holds `_config.yml`.

    Args:
        start: A file or folder inside the book; the working directory when omitted.

    Raises:
        BookError: No folder above `start` holds a `_config.yml`.
    """
    start = Path.cwd() if start is None else Path(os.path.abspath(start))
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise BookError(
        f"The book's root holds {CONFIG}, and neither {start} nor a folder above it "
        "does; run the command inside the book's repository."
    )


def relative_name(path: Path, root: Path | None = None) -> str:
    """Name a file as a reader of messages knows it: relative to the book's root."""
    path = Path(os.path.abspath(path))
    root = find_root(path) if root is None else Path(os.path.abspath(root))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def read_file(path: Path, name: str) -> str:
    """Read a file of text.

    Args:
        path: The file.
        name: What a message calls it.

    Raises:
        BookError: It is no file, cannot be read, or is no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BookError(
            f"{name} must be a readable file, and is not: {error.strerror}; restore it."
        ) from error
    except UnicodeDecodeError as error:
        raise BookError(
            f"{name} must be a readable file in UTF-8, and byte {error.start} is not; "
            "restore it from the last commit."
        ) from error


def read_page(path: Path) -> str:
    """Read the text of a page of the book."""
    return read_file(path, relative_name(path))


def read_toml(root: Path, name: str) -> dict[str, Any]:
    """Read a table of the book, named from its root.

    Raises:
        BookError: It cannot be read or is no TOML.
    """
    try:
        return tomllib.loads((root / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BookError(f"{name} must be readable TOML: {error}.") from error


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file in one step: a reader sees the old bytes or the new ones."""
    replace_files({path: data})


def replace_files(changes: Mapping[Path, bytes]) -> None:
    """Replace files, each in one step.

    All new bytes are written beside the old ones first, where a full disk or a folder
    that may not be written to shows; then each file gets its new name.

    Raises:
        BookError: A file cannot be written.
    """
    temporaries = {
        path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in changes
    }
    path = None
    try:
        for path, temporary in temporaries.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(changes[path])
            if path.exists():
                temporary.chmod(path.stat().st_mode & 0o777)
        for path, temporary in temporaries.items():
            os.replace(temporary, path)
    except OSError as error:
        raise BookError(
            f"Every file must be writable, and {path.name} is not "
            f"({error.strerror or error}). Make it writable and try again."
        ) from error
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def file_of(module: str, source: Path) -> Path:
    """Return the file of a module, such as `transformer.masks`, below a folder."""
    path = source.joinpath(*module.split("."))
    file = path.with_suffix(".py")
    return file if file.is_file() else path / "__init__.py"


def commit_time(root: Path) -> int | None:
    """Return when the last commit was made, in seconds since 1970.

    `SOURCE_DATE_EPOCH` goes first, as https://reproducible-builds.org asks. The answer
    is `None` where neither is known: outside a repository, or without git.

    Raises:
        ValueError: `SOURCE_DATE_EPOCH` is no number of seconds.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        if not given.isascii() or not given.isdigit():
            raise ValueError(
                "SOURCE_DATE_EPOCH must be a number of seconds since 1970, and is "
                f"{given!r}; set it right or unset it."
            )
        return int(given)
    said = ask_git(root, "log", "-1", "--format=%ct")
    return int(said) if said.isdigit() else None


def ask_git(root: Path, *question: str) -> str:
    """Return what git says about the repository that starts at a folder, or ""."""
    if not (root / ".git").exists():
        return ""
    try:
        said = subprocess.run(
            ["git", *question], cwd=root, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def parse_code(source: str) -> ast.Module | None:
    """Parse Python; the value is None when the text is not Python.

    Code that nests too deeply for the parser counts as none: Python cannot run it.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # such as an unknown escape
            return ast.parse(source)
    # A zero byte is a ValueError before Python 3.11.4.
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def parse_file(path: Path, root: Path) -> ast.Module:
    """Parse a file of the repository.

    Raises:
        BookError: It cannot be read or is no Python; the message says where.
    """
    name = relative_name(path, root)
    try:
        return ast.parse(read_file(path, name))
    except SyntaxError as error:
        raise BookError(
            f"{name}, line {error.lineno} must be Python, and is not: {error.msg}; "
            "mend it."
        ) from error


def defined_names(node: ast.AST) -> list[str]:
    """List the names that a statement defines: of a class, a function or values."""
    if isinstance(node, DOCUMENTED):
        return [node.name]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = getattr(node, "targets", None) or [node.target]
    names = [n for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]
