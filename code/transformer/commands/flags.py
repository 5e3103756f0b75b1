"""Flags that several commands share."""

import os
import sys
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch

from transformer.checks.values import LARGEST, shown_number
from transformer.commands.settings import SettingsError
from transformer.decoding import Shaping
from transformer.training import default_device

RUN = Path("runs") / "numbers"  # where `train` without arguments saves
MOST_THREADS = 1024
SMALL = 256  # models of fewer features are slower on several threads than on one
Flags = ArgumentParser | _ArgumentGroup  # to which a flag can be added
CHOSEN = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")  # by the reader, or by torchrun


def add_run(parser: ArgumentParser) -> None:
    """Add the flag that names a finished training."""
    parser.add_argument(
        "--run",
        default=RUN,
        metavar="FOLDER",
        help=f"the folder of a training, its --output (default: {RUN})",
    )


def add_device(parser: Flags) -> None:
    """Add the flag that names where to compute."""
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="where to compute: cpu, cuda (default: the GPU if there is one)",
    )


def add_threads(parser: Flags) -> None:
    """Add the flag that sets the number of threads."""
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads on the CPU; another number changes the last bits of what is "
        f"computed (default: what {CHOSEN[0]} says, else 1 for models of fewer than "
        f"{SMALL} features, else one for each core)",
    )


def add_beam_width(parser: ArgumentParser) -> None:
    """Add the flag of the beam search."""
    parser.add_argument(
        "--beam-width",
        type=int,
        default=1,
        metavar="N",
        help="hypotheses of a beam search; 1 takes the likeliest token (default: 1)",
    )


def given(parsed: Namespace, names: Iterable[str]) -> dict[str, float | int]:
    """Return the flags that were given, of some, with their values."""
    values = {name: getattr(parsed, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def typed_flags(names: Iterable[str]) -> str:
    """Return names of flags as one types them."""
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def check_at_least_one(flag: str, value: int) -> None:
    """Check that a number is at least 1."""
    if value < 1:
        raise SettingsError(
            f"{flag} must be at least 1, got {value}; pass a larger one."
        )


def check_drawing(options: Mapping[str, float]) -> None:
    """Check what was said about drawing tokens.

    Raises:
        SettingsError: If a number is out of range.
    """
    said = dict(options)
    seed = said.pop("seed", 0)
    if not 0 <= seed <= LARGEST:
        raise SettingsError(
            f"--seed must be at least 0 and at most {LARGEST}, got "
            f"{shown_number(seed)}; pass another."
        )
    try:
        Shaping(**said)
    except ValueError as error:
        name, _, rest = str(error).partition(" ")
        raise SettingsError(f"{typed_flags([name])} {rest}") from error


def find_device(name: str | None) -> torch.device:
    """Return a device that is there.

    Raises:
        SettingsError: If it is not.
    """
    if name is None:
        return default_device()
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise SettingsError(
            f"--device must be one that is here, got {name!r}; pass cpu, or cuda where "
            "there is a GPU."
        ) from error
    return device


def set_threads(said: int | None, *, d_model: int) -> None:
    """Set the number of threads on the CPU, for a model of so many features.

    Small matrices are ready before several threads have agreed on who computes what,
    and beside other programs these wait for each other most of the time.
    """
    if said is not None:
        check_at_least_one("--threads", said)
        if said > MOST_THREADS:  # more than a system may give, and all is lost
            raise SettingsError(
                f"--threads must be at most {MOST_THREADS}, got {said}; pass a "
                "smaller number."
            )
        torch.set_num_threads(said)
    elif d_model < SMALL and not any(os.environ.get(name) for name in CHOSEN):
        torch.set_num_threads(1)


def warn(line: str) -> None:
    """Print a note where it does not mix with what is asked for."""
    print(line, file=sys.stderr)
