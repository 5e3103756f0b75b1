"""Flags that several commands share."""

from argparse import ArgumentParser
from pathlib import Path

import torch

from transformer.commands.settings import SettingsError
from transformer.training import default_device

RUN = Path("runs") / "numbers"  # where `train` without arguments saves


def add_run(parser: ArgumentParser) -> None:
    """Add the flag that names a finished training."""
    parser.add_argument(
        "--run",
        default=RUN,
        metavar="FOLDER",
        help=f"the folder of a training (default: {RUN})",
    )


def add_device(parser: ArgumentParser) -> None:
    """Add the flag that names where to compute."""
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="where to compute: cpu, cuda (default: the GPU if there is one)",
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


def check_at_least_one(flag: str, value: int) -> None:
    """Check that a number is at least 1."""
    if value < 1:
        raise SettingsError(
            f"{flag} must be at least 1, got {value}; pass a larger one."
        )


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
