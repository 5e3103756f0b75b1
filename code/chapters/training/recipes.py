"""A translator trained with smoothed labels or plain, by a rate that falls or stays.

Beside the last parameters stands the mean of the last five copies of them.
"""

from math import inf, isfinite

import torch
from torch import Tensor

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
from transformer.data import TrainingBatches
from transformer.training import Callback, StepRecord, Trainer, TrainingError, run

AVERAGED = 5  # copies of the parameters, from the last tenth of the steps
# By name: the share of smoothing, and whether the learning rate falls to zero.
RECIPES = {"smoothed": (0.1, True), "plain": (0.0, True), "constant rate": (0.1, False)}


def new_trainer(recipe: str, *, seed: int, steps: int, learning_rate: float) -> Trainer:
    """Return a trainer of one of `RECIPES` that has taken no step yet."""
    smoothing, falls = RECIPES[recipe]
    return trainer_of(
        new_translator(seed=seed),
        steps=steps,
        learning_rate=learning_rate,
        warm_up=min(WARM_UP, steps // 2),
        smoothing=smoothing,
        falls=falls,
    )


class Snapshots(Callback):
    """Keep the parameters of some of the last steps, to average them."""

    def __init__(self, steps: int) -> None:
        self.when = [steps - steps // 40 * n for n in range(AVERAGED)]
        self.kept: list[dict[str, Tensor]] = []

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Keep the parameters if it is time to."""
        if record.step in self.when:
            state = trainer.model.state_dict()
            self.kept.append({name: x.clone() for name, x in state.items()})

    def average(self) -> dict[str, Tensor]:
        """Return the mean of each parameter over what was kept."""
        return {
            name: torch.stack([state[name] for state in self.kept]).mean(dim=0)
            for name in self.kept[0]
        }


def own_loss(trainer: Trainer) -> float:
    """Return the loss that the training lowers, of every other held-out pair."""
    found = scores(trainer.model, numbers().held_out[0::2])
    return found.loss if trainer.loss.smoothing else found.cross_entropy


def tested(trainer: Trainer) -> dict[str, float]:
    """Return how a model does on the held-out pairs between."""
    found = scores(trainer.model, numbers().held_out[1::2])
    right = share_right(trainer.model.eval(), numbers().splits.test[1::2])
    return {"smoothed": found.loss, "nats": found.cross_entropy, "right": right}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train the translator by a recipe.

    Returns:
        "validation", its own loss on every other held-out pair, which chooses the rate;
        "training", its loss on the last batches; on the pairs between, "smoothed" and
        "nats", the smoothed loss and the cross-entropy, and "right", the share that
        it translates by itself; "averaged right" and so on, the same of the mean of
        the last parameters.
    """
    options = {"seed": seed, "steps": steps, "learning_rate": learning_rate}
    trainer = new_trainer(variant, **options)
    batches = TrainingBatches(numbers().learned, batch_size=BATCH, seed=seed)
    snapshots = Snapshots(steps)
    try:
        run(trainer, batches, steps=steps, callbacks=[snapshots])
    except TrainingError:
        return {"validation": inf}
    if not isfinite(validation := own_loss(trainer)):
        return {"validation": inf}
    last = trainer.log.losses[-10:]
    row = {"validation": validation, "training": sum(last) / len(last)}
    row |= tested(trainer)
    trainer.model.load_state_dict(snapshots.average())
    return row | {f"averaged {name}": x for name, x in tested(trainer).items()}


STUDY = Study("training", "recipes", train=measured, variants=tuple(RECIPES))


if __name__ == "__main__":
    STUDY.run()
