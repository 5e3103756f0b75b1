"""Read and write the files of the book: inside its folder, and all of them or none."""

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


def inside_folder(path: Path, folder: Path, name: str) -> Path:
    """Resolve the links in a path, which must not lead out of a folder.

    Args:
        path: The file.
        folder: The folder.
        name: What a message calls the file.

    Raises:
        BookError: They do, or they lead round in a circle.
    """
    folder, target = (Path(os.path.realpath(place)) for place in (folder, path))
    # What is resolved holds no links, unless they lead round in a circle.
    if any(part.is_symlink() for part in (target, *target.parents)):
        raise BookError(
            f"{name} must be a file, and its links lead in a circle; replace the link "
            "by the file."
        )
    if not target.is_relative_to(folder):
        raise BookError(
            f"{name} must lie in the folder {folder}, and leads to {target}; replace "
            "the link by the file."
        )
    return target


def inside_book(path: Path) -> Path:
    """Resolve the links in a path, which must not lead out of `book/`, or `tests/`."""
    root, name = find_root(path), relative_name(path)
    return inside_folder(path, root / Path(name).parts[0], name)


def read_file(path: Path, name: str, most: int | None = None) -> str:
    """Read a file of text.

    Args:
        path: The file.
        name: What a message calls it.
        most: The most bytes that it may have.

    Raises:
        BookError: It is no file, cannot be read, is no UTF-8 or too large.
    """
    # What is no plain file may have no end, or never begin: a device, a pipe.
    if not path.is_file():
        found = "is something else" if os.path.lexists(path) else "is not there"
        raise BookError(f"{name} must be a readable file, and {found}; restore it.")
    try:
        size = path.stat().st_size
        if most is not None and size > most:
            raise BookError(
                f"{name} must have at most {most / 1e6:.0f} MB, and has "
                f"{size / 1e6:.0f}; let its cells show less."
            )
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BookError(
            f"{name} must be a readable file, and is not: {error.strerror}."
        ) from error
    except UnicodeDecodeError as error:
        raise BookError(
            f"{name} must be a readable file in UTF-8, and byte {error.start} is not; "
            "restore it from the last commit."
        ) from error


def read_page(path: Path) -> str:
    """Read the text of a page of the book, which must lie in `book/`."""
    return read_file(inside_book(path), relative_name(path))


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
    """Replace files, all or none, each in one step.

    The new bytes are written beside the old ones first, where a full disk or a folder
    that may not be written to shows; then each file gets its new name.

    Raises:
        BookError: A file cannot be written; all are as they were.
    """
    temporaries = {
        path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in changes
    }
    replaced: list[Path] = []
    old: dict[Path, tuple[bytes, os.stat_result]] = {}
    path = None
    try:
        for path, temporary in temporaries.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(changes[path])
            if path.exists():
                old[path] = path.read_bytes(), path.stat()
                temporary.chmod(old[path][1].st_mode & 0o777)
        for path, temporary in temporaries.items():
            os.replace(temporary, path)
            replaced.append(path)
    except OSError as error:
        for done in replaced:
            _put_back(done, *old.get(done, (None, None)))
        reason = error.strerror or error
        raise BookError(
            f"Every file must be writable, and {path.name} is not ({reason}); nothing "
            "was changed. Make it writable and try again."
        ) from error
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def _put_back(path: Path, data: bytes | None, status: os.stat_result | None) -> None:
    """Give a file its old bytes and its old time, or take it away if it is new."""
    if data is None or status is None:
        path.unlink()
        return
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def file_of(module: str, source: Path) -> Path:
    """Return the file of a module, such as `transformer.masks`, below a folder."""
    path = source.joinpath(*module.split("."))
    file = path.with_suffix(".py")
    return file if file.is_file() else path / "__init__.py"
