"""Where and how a command computes, as flags of several commands say."""

import os
from collections.abc import Mapping

import torch

from transformer.checks.values import LARGEST, shown_number
from transformer.commands.flags import (
    CHOSEN,
    SMALL,
    check_at_least_one,
    typed_flags,
)
from transformer.commands.settings import SettingsError
from transformer.decoding import Shaping
from transformer.training import default_device

MOST_THREADS = 1024


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
