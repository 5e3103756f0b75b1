"""Do tasks in forked children, and keep what each finds as soon as it is done."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bookkit.checking.mutants.trials import LAST_LINES

CHILDREN = 2  # at a time

Found = dict[str, Any]


def in_children(
    tasks: Mapping[str, Any], work: Callable[[Any, Path], Found], file: Path
) -> Iterator[tuple[str, Found]]:
    """Do tasks, some at a time, and yield the name of each and what it has found.

    What was found is one line of a file. Of a child that died, it is how it died.

    Args:
        tasks: By their names.
        work: What to do with a task, and with an empty folder that goes afterwards.
        file: Where the lines go.
    """
    left, waiting = list(tasks.items()), {}
    while left or waiting:
        if left and len(waiting) < CHILDREN:
            name, task = left.pop(0)
            place = tempfile.TemporaryDirectory(prefix="matrix-")
            sys.stdout.flush()  # or the child would say it again
            if not (pid := os.fork()):
                _be_child(Path(place.name), work, task)
            waiting[pid] = name, place
        else:
            name, place = waiting.pop(os.wait()[0])
            found = _answer(Path(place.name), name)
            place.cleanup()
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(found) + "\n")
            yield name, found


def read_found(file: Path) -> Found:
    """Read what children have found out."""
    found: Found = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        found |= json.loads(line)
    return found


def _be_child(place: Path, work: Callable[[Any, Path], Found], task: object) -> None:
    """Write what some work finds into a folder, and end this process."""
    try:
        with (place / "said.txt").open("w", encoding="utf-8") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        (place / "tmp").mkdir()
        text = json.dumps(work(task, place / "tmp"))
        (place / "unfinished").write_text(text, encoding="utf-8")
        (place / "unfinished").replace(place / "answer.json")
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    finally:
        sys.stdout.flush()
        os._exit(0)


def _answer(place: Path, task: str) -> Found:
    """Read what a child has found; of one that died, its last words."""
    answer = place / "answer.json"
    if answer.exists():
        return json.loads(answer.read_text("utf-8"))
    said = (place / "said.txt").read_text("utf-8").strip().splitlines()
    why = " / ".join(said[-LAST_LINES:]) or "the process died"
    return {task: {"how": "dead", "by": [], "why": why}}
