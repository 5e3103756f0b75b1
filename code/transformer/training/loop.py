"""The loop: step after step, batch after batch."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from torch import nn, optim

from transformer.checks.values import check_size
from transformer.data.batches import Batch
from transformer.data.loaders import TrainingBatches
from transformer.data.text_batches import TextBatches
from transformer.training.callbacks import Callback
from transformer.training.log import TrainingLog
from transformer.training.loss import LabelSmoothingLoss
from transformer.training.step import Trainer

Endless = TrainingBatches | TextBatches  # which have a batch for any step


def train(
    model: nn.Module,
    batches: Sequence[Batch] | Endless,
    *,
    loss: LabelSmoothingLoss,
    optimizer: optim.Optimizer,
    steps: int,
    schedule: Callable[[int], float] | None = None,
    callbacks: Sequence[Callback] = (),
    **options: object,
) -> TrainingLog:
    """Train a model for some steps, and return what was recorded.

    Args:
        model: What learns; it is on the device already.
        batches: The batch of each step, `batches[0]` for the first. A list shorter
            than `steps` is gone through again and again.
        loss: Compares logits and labels.
        optimizer: Holds the parameters of the model.
        steps: Number of steps.
        schedule: The learning rate of each step, counted from 1.
        callbacks: What happens between the steps.
        options: What else a `Trainer` takes, such as `max_norm`.

    Raises:
        TrainingError: If a loss or a gradient is not finite.
    """
    trainer = Trainer(
        model, loss=loss, optimizer=optimizer, schedule=schedule, **options
    )
    return run(trainer, batches, steps=steps, callbacks=callbacks)


def run(
    trainer: Trainer,
    batches: Sequence[Batch] | Endless,
    *,
    steps: int,
    callbacks: Sequence[Callback] = (),
) -> TrainingLog:
    """Train until the trainer has taken `steps` steps in all.

    Args:
        trainer: A new trainer, or one that was restored from a checkpoint.
        batches: The batch of each step; a restored trainer goes on where it was.
        steps: Number of steps in all.
        callbacks: What happens between the steps.

    Returns:
        What was recorded, the steps before a restart included.

    Raises:
        TrainingError: If a loss or a gradient is not finite.
        ValueError: If there are no batches, or `steps` is below 1.
    """
    check_size("steps", steps)
    if not isinstance(batches, Endless) and len(batches) == 0:
        raise ValueError("there must be a batch to learn from, got none; pass some.")
    with ExitStack() as stack:
        for callback in callbacks:
            stack.callback(callback.close)
        while trainer.steps < steps and not any(c.is_over(trainer) for c in callbacks):
            record = trainer.step(pick(batches, trainer.steps))
            for callback in callbacks:
                callback.after_step(trainer, record)
        for callback in callbacks:
            callback.at_end(trainer)
    return trainer.log


def pick(batches: Sequence[Batch] | Endless, step: int) -> Batch:
    """Return the batch of a step; a list is gone through again and again."""
    endless = isinstance(batches, Endless)
    return batches[step if endless else step % len(batches)]
