"""Flags that several commands share."""

import sys
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Iterable
from pathlib import Path

from transformer.commands.settings import SettingsError

RUN = Path("runs") / "numbers"  # where `train` without arguments saves
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


def warn(line: str) -> None:
    """Print a note where it does not mix with what is asked for."""
    print(line, file=sys.stderr)


def in_steps(number: int) -> str:
    """Return a number of steps in words: 1 step, 2 steps."""
    return f"{number} step{'s' * (number != 1)}"
