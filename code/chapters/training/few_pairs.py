"""A translator that sees 200 pairs again and again, with dropout and without."""

from collections.abc import Sequence
from math import inf, isfinite

import torch

from chapters.laboratory.recipe import trainer_of
from chapters.laboratory.study import Study
from chapters.laboratory.translator import (
    BATCH,
    WARM_UP,
    new_translator,
    numbers,
    scores,
    share_right,
)
from transformer.data import Example, TrainingBatches
from transformer.training import Trainer, TrainingError, run

PAIRS, BELOW = 200, 10_000
LOOKS = 6  # at equal distances, the last one at the end
DROPOUTS = {"no dropout": 0.0, "dropout 0.1": 0.1, "dropout 0.2": 0.2}


def new_trainer(
    dropout: float, *, seed: int, steps: int, learning_rate: float
) -> Trainer:
    """Return a trainer without smoothing that has taken no step yet."""
    return trainer_of(
        new_translator(seed=seed, below=BELOW, dropout=dropout),
        steps=steps,
        learning_rate=learning_rate,
        warm_up=min(WARM_UP, steps // 2),
        smoothing=0.0,
    )


def cross_entropy(trainer: Trainer, examples: Sequence[Example]) -> float:
    """Return the nats per token of pairs, the true words given, without dropout."""
    return scores(trainer.model, examples, below=BELOW).cross_entropy


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train the translator with few pairs of short numbers.

    Returns:
        "validation", the cross-entropy of every other held-out pair at the end, which
        chooses the rate, and "nats", that of those between; "right", the share of
        these that the model translates by itself; "learned" and "held_out", the
        cross-entropy of the pairs that were learned and of "nats" at each of `LOOKS`.
    """
    task = numbers(BELOW)
    learned = task.learned[:PAIRS]
    sides = {"learned": learned, "held_out": task.held_out[1::2]}
    options = {"seed": seed, "steps": steps, "learning_rate": learning_rate}
    trainer = new_trainer(DROPOUTS[variant], **options)
    batches = TrainingBatches(learned, batch_size=BATCH, seed=seed)
    row: dict = {name: [] for name in sides}
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # for dropout
        try:
            for look in range(1, LOOKS + 1):
                run(trainer, batches, steps=steps * look // LOOKS)
                for name, examples in sides.items():
                    row[name].append(cross_entropy(trainer, examples))
        except TrainingError:
            return {"validation": inf}
    validation = cross_entropy(trainer, task.held_out[0::2])
    if not isfinite(validation):
        return {"validation": inf}
    shown = task.splits.test[1::2]
    right = share_right(trainer.model.eval(), shown, below=BELOW)
    return {"validation": validation, "nats": row["held_out"][-1], "right": right} | row


STUDY = Study(
    "training",
    "few_pairs",
    train=measured,
    variants=tuple(DROPOUTS),
    budgets=(300, 1200),
    seeds=(0, 1, 2, 3, 4, 5),
)


if __name__ == "__main__":
    STUDY.run()
