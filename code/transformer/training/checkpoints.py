"""Checkpoints: all that a training needs to go on, in files that are whole or absent.

A checkpoint is a folder `step-00000100` with `model.safetensors` (the parameters),
`training.safetensors` (moments of the optimizer, states of the random generators) and
`state.json` (numbers, names, and the checksums of the other two). It is written beside
its place, forced to the disk and then renamed: whoever kills the process, at whatever
moment, finds the checkpoints before it untouched.
"""

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from torch import Tensor

from transformer.checks.values import check_size
from transformer.files import beside, checksum, disk_errors, read_json
from transformer.packages import need

FORMAT = "tested-transformer checkpoint, version 1"
MODEL = "model.safetensors"
TRAINING = "training.safetensors"
STATE = "state.json"
UNFINISHED = ".unfinished"  # ends the name of a folder that is being written
REMOVED = ".removed"  # and of one that is being removed


def need_safetensors(module: str) -> ModuleType:
    """Return a module of the package that reads and writes the tensors."""
    return need(module, what="checkpoints need", extra="training")


class CheckpointError(Exception):
    """A checkpoint cannot be read, or does not belong here; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """Hold what is written at a step.

    Args:
        step: Number of steps taken.
        model: The parameters by name, tied ones once.
        training: The other tensors that are needed to go on.
        state: The rest, fit for JSON.
    """

    step: int
    model: Mapping[str, Tensor]
    training: Mapping[str, Tensor]
    state: Mapping[str, object]


def save_checkpoint(
    folder: str | Path, checkpoint: Checkpoint, *, keep: int = 2
) -> Path:
    """Write a checkpoint, whole or not at all, then remove old ones.

    Args:
        folder: Where the checkpoints of one training are.
        checkpoint: What to write.
        keep: How many of the newest to keep, at least 1.

    Raises:
        OSError: If the disk refuses; older checkpoints stay as they are.
    """
    check_size("keep", keep)
    place = Path(folder) / f"step-{checkpoint.step:08d}"
    remove_leftovers(folder)
    with beside(place, UNFINISHED) as unfinished:
        _write(unfinished, checkpoint)
        if place.exists():  # a restarted training takes this step again
            os.replace(place, place.with_suffix(REMOVED))
    _force_to_disk(place.parent)
    for old in list_checkpoints(folder)[:-keep]:
        os.replace(old, old.with_suffix(REMOVED))
    remove_leftovers(folder)
    return place


def _write(folder: Path, checkpoint: Checkpoint) -> None:
    """Write the files of a checkpoint into a new folder, and force them to the disk."""
    safetensors = need_safetensors("safetensors.torch")
    folder.mkdir(parents=True)
    for name, tensors in ((MODEL, checkpoint.model), (TRAINING, checkpoint.training)):
        with disk_errors(folder / name):
            safetensors.save_file(dict(tensors), folder / name)
    state = {
        "format": FORMAT,
        "step": checkpoint.step,
        "checksums": {name: checksum(folder / name) for name in (MODEL, TRAINING)},
        **checkpoint.state,
    }
    (folder / STATE).write_text(json.dumps(state), encoding="utf-8")
    for path in (*folder.iterdir(), folder):
        _force_to_disk(path)


def list_checkpoints(folder: str | Path) -> list[Path]:
    """Return the checkpoints of a training, the newest last."""
    return _folders(folder)


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint that is whole.

    Args:
        path: Its folder.

    Raises:
        CheckpointError: If it is missing, changed, cut off or something else.
    """
    path = Path(path)
    state = _read_state(path)
    for name, expected in state["checksums"].items():
        try:
            found = checksum(path / name)
        except OSError as error:
            raise CheckpointError(
                f"{path} must hold {name}, which cannot be read ({error.strerror}); "
                "take an older checkpoint."
            ) from error
        if found != expected:
            raise CheckpointError(
                f"{path / name} must be as it was written, with SHA-256 {expected}, "
                f"got {found}: it was changed or cut off; delete {path} and take an "
                "older checkpoint."
            )
    return Checkpoint(
        step=state["step"],
        model=_read_tensors(path / MODEL),
        training=_read_tensors(path / TRAINING),
        state=state,
    )


def remove_leftovers(folder: str | Path) -> None:
    """Remove what is half written, or was renamed to be removed.

    What was renamed for a checkpoint that then never came gets its name back.
    """
    for path in _folders(folder, UNFINISHED):
        shutil.rmtree(path)
    for path in _folders(folder, REMOVED):
        if any(step_of(other) >= step_of(path) for other in list_checkpoints(folder)):
            shutil.rmtree(path)
        else:
            os.replace(path, path.with_suffix(""))


def _folders(folder: str | Path, ending: str = "") -> list[Path]:
    """Return the folders that are named by a step, by step; other files are not ours.

    A link is none of them, and what was unfinished or renamed has its ending.
    """
    name = re.compile(rf"step-[0-9]{{8,}}{re.escape(ending)}")
    found = Path(folder).iterdir() if Path(folder).is_dir() else ()
    named = (path for path in found if name.fullmatch(path.name))
    return sorted((x for x in named if x.is_dir() and not x.is_symlink()), key=step_of)


def step_of(path: Path) -> int:
    """Return the step in the name of a checkpoint."""
    return int(path.name.removeprefix("step-").partition(".")[0])


def _read_state(path: Path) -> dict:
    """Read the JSON of a checkpoint, and check that it is one."""
    try:
        state = read_json(path / STATE)
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"{path} must be the folder of a checkpoint, but its {STATE} cannot be "
            f"read ({error}); {_instead(path)}."
        ) from error
    said = state if isinstance(state, dict) else {}
    step, sums = said.get("step"), said.get("checksums")
    whole = (
        said.get("format") == FORMAT
        and type(step) is int
        and path.name == f"step-{step:08d}"
        and isinstance(sums, dict)
        and set(sums) == {MODEL, TRAINING}
    )
    if not whole:
        raise CheckpointError(
            f"{path / STATE} must hold the format {FORMAT!r}, the step of its folder "
            f"and two checksums, got {state!r:.100}; it was changed or moved, or is of "
            "something else."
        )
    return state


def _instead(path: Path) -> str:
    """Return what to do with a folder that is not that of a checkpoint."""
    if (path / "checkpoints").is_dir():
        return "it is that of a training, which transformer.load_training loads"
    if (path / "config.json").is_file():
        return "it is that of a saved model, which transformer.load_model loads"
    return "name another folder or take an older checkpoint"


def _read_tensors(path: Path) -> dict[str, Tensor]:
    """Read tensors, and nothing but tensors: a file of any other kind is refused."""
    safetensors = need_safetensors("safetensors")
    load_file = need_safetensors("safetensors.torch").load_file
    try:
        return load_file(path)
    except safetensors.SafetensorError as error:
        raise CheckpointError(
            f"{path} must be a file of safetensors, and is not ({error}): it may hold "
            "code, which is never run; take an older checkpoint."
        ) from error


def _force_to_disk(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
