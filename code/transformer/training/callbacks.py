"""Callbacks: what happens between the steps of a training."""

import sys
from collections.abc import Callable
from io import TextIOBase
from pathlib import Path

from transformer.checks.values import check_size
from transformer.packages import need
from transformer.training.checkpoints import need_safetensors, save_checkpoint
from transformer.training.log import StepRecord, ValidationRecord
from transformer.training.state import snapshot
from transformer.training.step import Trainer


class Callback:
    """Do something between the steps. Each method does nothing until overridden."""

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Act after a step."""

    def is_over(self, trainer: Trainer) -> bool:
        """Return whether the training ends before its last step."""
        return False

    def at_end(self, trainer: Trainer) -> None:
        """Act after the last step."""

    def close(self) -> None:
        """Release what is held, however the training ended."""


class Checkpointing(Callback):
    """Save a checkpoint every few steps, and at the end.

    Put it last: a checkpoint then holds what the other callbacks did after its step.

    Args:
        folder: Where the checkpoints of this training are.
        every: Number of steps from one to the next.
        keep: How many of the newest to keep.

    Raises:
        ImportError: If `safetensors` is missing, so that no step is taken in vain.
    """

    def __init__(self, folder: str | Path, *, every: int, keep: int = 2) -> None:
        check_size("every", every)
        check_size("keep", keep)
        need_safetensors("safetensors.torch")
        self.folder = Path(folder)
        self.every = every
        self.keep = keep
        self.saved: int | None = None  # the step of the newest one

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Save a checkpoint if it is time for one."""
        if record.step % self.every == 0:
            self._save(trainer)

    def at_end(self, trainer: Trainer) -> None:
        """Save the last step, unless it is saved already."""
        if trainer.steps != self.saved:
            self._save(trainer)

    def _save(self, trainer: Trainer) -> None:
        """Collect from all processes, write from one."""
        checkpoint = snapshot(trainer)
        if trainer.world.is_writer:
            save_checkpoint(self.folder, checkpoint, keep=self.keep)
        trainer.world.wait()
        self.saved = trainer.steps


class Validation(Callback):
    """Validate every few steps, and stop early when it no longer gets better.

    The model stays that of the last step, which need not be the best one.

    Source: Prechelt (1998), section 2, for stopping when the validation loss has not
    reached a new best for some time.

    Args:
        validate: Returns the validation loss; lower is better. Called by all processes.
        every: Number of steps from one validation to the next.
        patience: Stop after so many validations without a new best; never when None.
    """

    def __init__(
        self, validate: Callable[[], float], *, every: int, patience: int | None = None
    ) -> None:
        check_size("every", every)
        if patience is not None:
            check_size("patience", patience)
        self.validate = validate
        self.every = every
        self.patience = patience

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Validate if it is time to."""
        if record.step % self.every == 0:
            found = ValidationRecord(record.step, float(self.validate()))
            trainer.log.validations.append(found)

    def is_over(self, trainer: Trainer) -> bool:
        """Return whether a training has stopped getting better."""
        best, found = trainer.log.best_validation(), trainer.log.validations
        since = found if best is None else found[found.index(best) + 1 :]
        return self.patience is not None and len(since) >= self.patience


class ProgressBar(Callback):
    """Show the steps and the loss in a terminal, and nothing anywhere else.

    Needs the package `tqdm`.

    Args:
        steps: Number of steps of the whole training.
        file: Where to draw; the standard error when not given.
    """

    def __init__(self, steps: int, *, file: TextIOBase | None = None) -> None:
        check_size("steps", steps)
        self.steps = steps
        self.file = file
        self.tqdm = need("tqdm", what="a progress bar needs", extra="training").tqdm
        self.bar = None

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Move the bar on."""
        if self.bar is None and trainer.world.is_writer:
            self.bar = self._open(start=record.step - 1)
        if self.bar is not None:
            self.bar.set_postfix_str(f"loss {record.loss:.3f}", refresh=False)
            self.bar.update()

    def close(self) -> None:
        """Leave the bar as it is."""
        if self.bar is not None:
            self.bar.close()

    def _open(self, start: int):
        """Return a bar that stands at a step."""
        file = sys.stderr if self.file is None else self.file
        # `disable=None`: silent unless the file is a terminal.
        return self.tqdm(
            total=self.steps, initial=start, unit="step", file=file, disable=None
        )
