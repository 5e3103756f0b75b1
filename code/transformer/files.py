"""Files: their checksum, JSON, and a way to write them whole or not at all."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEEPEST = 50  # levels of JSON; of ours none has more than five


def checksum(path: Path, algorithm: str = "sha256") -> str:
    """Return the checksum of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def read_json(path: Path) -> object:
    """Return what a file of JSON holds; it may come from anybody."""
    text = path.read_text(encoding="utf-8")
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    level = [found] if isinstance(found, dict | list) else []
    for _ in range(DEEPEST):
        inside = (x.values() if isinstance(x, dict) else x for x in level)
        level = [x for held in inside for x in held if isinstance(x, dict | list)]
        if not level:
            return found
    raise ValueError("it is nested too deep")


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Raise as an OSError what a library says of a disk in words of its own.

    Args:
        path: What is read or written meanwhile.
    """
    try:
        yield
    except Exception as error:
        if found := re.search(r"\(os error (\d+)\)", str(error)):
            number = int(found[1])
            said = os.strerror(number) if os.name == "posix" else str(error)
            raise OSError(number, said, str(path)) from error
        raise


@contextmanager
def beside(path: Path, ending: str = ".part") -> Iterator[Path]:
    """Give a place beside a path to write to, and rename it to the path at the end.

    After an error nothing is renamed, and what was written stays at its place.

    Args:
        path: The file or folder that is to be there whole or not at all.
        ending: What the name of the place has at its end.
    """
    place = path.with_name(path.name + ending)
    yield place
    os.replace(place, path)
