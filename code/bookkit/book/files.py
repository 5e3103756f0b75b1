"""Find, read and write the files of the book."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError

CONFIG = "_config.yml"


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
