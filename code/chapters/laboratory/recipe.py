"""One recipe for all small models: Adam, a warm-up, a cosine, clipped gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from transformer.data import Batch, TrainingBatches
from transformer.training import (
    LabelSmoothingLoss,
    Trainer,
    TrainingError,
    adam,
    constant_schedule,
    cosine_schedule,
    run,
)


@dataclass(frozen=True)
class Trained:
    """A trained model.

    Args:
        model: The model, on the default device, in evaluation mode.
        losses: The training loss of each step in nats per token; when the loss or
            a gradient was not finite, those until then.
        diverged: Whether training ended so.
    """

    model: nn.Module
    losses: Sequence[float]
    diverged: bool


def trainer_of(
    model: nn.Module,
    *,
    steps: int,
    learning_rate: float,
    warm_up: int,
    smoothing: float,
    falls: bool = True,
) -> Trainer:
    """Return a trainer by the recipe that has taken no step yet.

    Args:
        model: A fresh model of the package.
        steps: Number of steps that the schedule is made for.
        learning_rate: The highest learning rate.
        warm_up: Steps until then, 0 for none.
        smoothing: Share of label smoothing.
        falls: Whether the learning rate then falls to zero along a cosine, or stays.
    """
    common = {"peak": learning_rate, "warmup": warm_up}
    cosine = partial(cosine_schedule, steps=steps, **common)
    return Trainer(
        model,
        loss=LabelSmoothingLoss(smoothing=smoothing),
        optimizer=adam(model, learning_rate=learning_rate),
        schedule=cosine if falls else partial(constant_schedule, **common),
    )


def train_by_recipe(
    model: nn.Module,
    batches: Sequence[Batch] | TrainingBatches,
    *,
    seed: int,
    steps: int,
    learning_rate: float,
    warm_up: int,
    smoothing: float = 0.0,
) -> Trained:
    """Train a fresh model, and stop where the loss or a gradient is not finite.

    Args:
        model: A model of the package; it is changed in place.
        batches: The batch of each step.
        seed: Seed of dropout, should there be any.
        steps: Number of training steps.
        learning_rate: The highest learning rate; from there a cosine leads to zero.
        warm_up: Steps until then, 0 for none.
        smoothing: Share of label smoothing.
    """
    trainer = trainer_of(
        model,
        steps=steps,
        learning_rate=learning_rate,
        warm_up=warm_up,
        smoothing=smoothing,
    )
    diverged = False
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        try:
            run(trainer, batches, steps=steps)
        except TrainingError:
            diverged = True
    return Trained(model.eval(), trainer.log.losses, diverged)
