"""Files: their checksum, and a way to write them whole or not at all."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def checksum(path: Path, algorithm: str = "sha256") -> str:
    """Return the checksum of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


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
