"""What several notebooks of a test run make in the same way, made once and kept.

A reader never meets it: only where the environment variable `CHAPTERS_KEPT` names a
folder, as in the test runs of this book, is anything written or read there.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import torch

import chapters
import transformer
from transformer.files import beside

FOLDER = "CHAPTERS_KEPT"
Made = TypeVar("Made")


def kept(name: str, make: Callable[[], Made]) -> Made:
    """Return what is made, from a file where the same code has left it.

    Its tensors stay on the disk until they are read, and changes of them stay here.

    Args:
        name: What it is; it becomes a part of the name of the file.
        make: Makes it, the same at every call, and draws no random number.
    """
    folder = os.environ.get(FOLDER)
    if not folder:
        return make()
    path = Path(folder) / f"{name}-{version()}.pt"
    if not path.is_file():
        made = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside(path, f".{os.getpid()}") as place:
            torch.save(made, place)
        for old in set(path.parent.glob(f"{name}-*.pt")) - {path}:
            old.unlink(missing_ok=True)  # what other code has made
    # The file is as trusted as this module: the same user has written both.
    return torch.load(path, mmap=True, weights_only=False)


@cache
def version() -> str:
    """Return a checksum of the code of the book, and of PyTorch's version."""
    found = hashlib.sha256(torch.__version__.encode())
    for package in (transformer, chapters):
        folder = Path(package.__file__).parent
        for path in sorted(folder.rglob("*.py")):
            found.update(path.relative_to(folder).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:16]
