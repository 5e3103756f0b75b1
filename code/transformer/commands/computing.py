"""Where and how a command computes."""

import os

import torch

from transformer.commands.flags import CHOSEN, SMALL, Computing, SettingsError
from transformer.training import default_device


def find_device(computing: Computing) -> torch.device:
    """Return a device that is there."""
    if computing.device is None:
        return default_device()
    try:
        device = torch.device(computing.device)
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise SettingsError(
            f"--device must be one that is here, got {computing.device!r}; pass cpu, "
            "or cuda where there is a GPU."
        ) from error
    return device


def set_threads(computing: Computing, *, d_model: int) -> None:
    """Set the number of threads on the CPU, for a model of so many features.

    Small matrices are ready before several threads have agreed on who computes what,
    and beside other programs these wait for each other most of the time.
    """
    if computing.threads is not None:
        torch.set_num_threads(computing.threads)
    elif d_model < SMALL and not any(os.environ.get(name) for name in CHOSEN):
        torch.set_num_threads(1)
