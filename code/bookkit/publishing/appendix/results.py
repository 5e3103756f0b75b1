"""Results that are made elsewhere and recorded: GPU, environments, mutants."""

import json
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError

# A page shows a result when its file is there, and says so when it is not.
GPU, MUTANTS = "book/appendix/data/gpu.json", "book/appendix/data/mutants.json"
ENVIRONMENTS = "book/appendix/data/determinism.json"


def gpu(root: Path) -> dict[str, Any] | None:
    """Return on which GPU the chapters were run, if on any, and what differed.

    A note says what an author found worth telling of that run.
    """
    keys = ("device", "torch", "chapters", "outputs", "differences")
    found = _result(root, GPU, keys)
    return found and {"note": "", **found}


def environments(root: Path) -> dict[str, Any] | None:
    """Return in which environments the notebooks were run, and what differed."""
    return _result(root, ENVIRONMENTS, ("torch", "instructions", "rounds"))


def mutants(root: Path) -> dict[str, Any] | None:
    """Return how many planted changes the tests caught, if that was measured."""
    return _result(root, MUTANTS, ("planted", "caught", "all", "equivalent"))


def _result(root: Path, name: str, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """Read a result that is made elsewhere, if it is there.

    Raises:
        BookError: The file is there and lacks something.
    """
    path = root / name
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    missing = [key for key in keys if key not in found]
    if missing:
        raise BookError(
            f"{name} must say {', '.join(keys)}, and lacks {', '.join(missing)}; "
            "record it again."
        )
    return found
