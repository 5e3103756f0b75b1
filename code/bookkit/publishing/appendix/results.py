"""Results that are made elsewhere, in words and tables: GPU, environments, mutants."""

import json
from pathlib import Path
from typing import Any

from bookkit.book.errors import BookError
from bookkit.publishing.appendix.tables import counted, table

# A page shows a result when its file is there, and says so when it is not.
GPU, MUTANTS = "book/appendix/data/gpu.json", "book/appendix/data/mutants.json"
ENVIRONMENTS = "book/appendix/data/determinism.json"


def gpu(root: Path) -> str:
    """Describe on which GPU the chapters were run, if on any."""
    keys = ("device", "torch", "chapters", "outputs", "differences")
    found = _result(root, GPU, keys)
    if found is None:
        return (
            "Not yet run on a GPU. Every number here comes from a CPU; the chapters "
            "use a GPU when there is one, and draw their random numbers on the CPU."
        )
    words = (
        f"The last recorded run on a GPU ({found['device']}, torch {found['torch']}) "
        f"ran {counted(found['chapters'], 'chapter')} and compared "
        f"{counted(found['outputs'], 'output')} with the ones stored here."
    )
    rows = [
        (f"[](../{name.removeprefix('book/')})", met["outputs"], *_largest(met))
        for name, met in found["differences"].items()
    ]
    head = ("chapter", "outputs", "decimals", "units", "points", "levels")
    return f"{words}\n\n{table(head, rows, 'lrrrrr')}"


def _largest(met: dict[str, Any]) -> tuple[str, ...]:
    """Return the largest differences as cells of a table."""
    return tuple(f"{met[key]:.2g}" for key in ("decimals", "units", "points", "levels"))


def environments(root: Path) -> str:
    """Describe in which environments the notebooks were run, and what differed."""
    found = _result(root, ENVIRONMENTS, ("torch", "instructions", "rounds"))
    if found is None:
        return "Not yet run in other environments; `make determinism` does it."
    runs = sum(each["notebooks"] for each in found["rounds"])
    words = (
        f"With torch {found['torch']}, on a processor with {found['instructions']}, "
        f"the notebooks were run {counted(runs, 'time')} in "
        f"{counted(len(found['rounds']), 'environment')}, and compared each time with "
        "the outputs stored here."
    )
    rows = [
        (
            each["words"],
            each["notebooks"],
            each["cells"],
            each["outputs"],
            len(each["faults"]),
            *_largest(each["differences"]),
        )
        for each in found["rounds"]
    ]
    head = ("what was changed", "notebooks", "cells", "outputs", "faults")
    head += ("decimals", "units", "points", "levels")
    return f"{words}\n\n{table(head, rows, 'lrrrrrrrr')}"


def mutants(root: Path) -> str:
    """Describe how many planted changes the tests caught, if that was measured."""
    words = (
        "A **mutant** is the package with one small change planted by a program: a sum "
        "for a difference, a number one larger, an argument left out. The share of "
        "mutants that some unit test catches says how well the tests watch. "
    )
    found = _result(root, MUTANTS, ("planted", "caught", "all", "equivalent"))
    if found is None:
        return f"{words}It is not measured yet."
    share = f"{found['caught'] / found['planted']:.1%}".replace("%", " %")
    drawn = found["planted"] + found["equivalent"]
    return (
        f"{words}Of {counted(found['all'], 'mutant')}, {drawn:,} were drawn over all "
        f"modules. {found['equivalent']} of these are no mistakes: nothing that can be "
        "seen or computed changes, and the record gives the reason for each. Of the "
        f"other {found['planted']:,} the tests caught {found['caught']:,}, which is "
        f"{share}."
    )


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
