"""Ctrl-C during a training: the step is finished and saved, then the training ends."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from transformer.commands.folder import Run
from transformer.training import Callback, StepRecord, Trainer
from transformer.training.checkpoints import step_of


class InterruptedTrainingError(Exception):
    """Ctrl-C ended a training; the message says what is saved, and how to go on."""


class Interruption(Callback):
    """End a training after the step in which one of its processes was asked to."""

    def __init__(self) -> None:
        self.asked = False  # of this process
        self.agreed = False  # by all processes, so that all end after the same step

    def ask(self, *signal: object) -> None:
        """Ask for the end, as a handler of signals; the second time, end at once."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Tell the other processes."""
        asked = torch.tensor(float(self.asked), device=trainer.world.device)
        self.agreed = bool(trainer.world.sum(asked))

    def is_over(self, trainer: Trainer) -> bool:
        """Return whether the training ends here."""
        return self.agreed


@contextmanager
def interruptible(place: Run, go_on: str) -> Iterator[Interruption]:
    """Let Ctrl-C ask for the end of a training, instead of breaking off a step.

    Args:
        place: Where checkpoints are written.
        go_on: The command that goes on with the training.

    Raises:
        InterruptedTrainingError: If Ctrl-C ended it.
    """
    interruption = Interruption()
    before = signal.signal(signal.SIGINT, interruption.ask)
    try:
        yield interruption
    except KeyboardInterrupt as error:
        raise InterruptedTrainingError(explained(place.newest, go_on)) from error
    finally:
        signal.signal(signal.SIGINT, before)


def explained(newest: Path | None, go_on: str) -> str:
    """Return what is said after Ctrl-C."""
    if newest is None:
        return f"interrupted before anything was saved; begin again with: {go_on}"
    steps = step_of(newest)
    saved = "the first step is" if steps == 1 else f"the first {steps} steps are"
    return f"interrupted; {saved} saved in {newest}. Go on with: {go_on}"
