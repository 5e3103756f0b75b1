"""Training: one translator trained by several recipes, and one with few pairs.

All of it takes minutes, so the chapter reads the results from a file that
`python -m chapters.training.experiments` writes, and repeats a part of it.
"""

from itertools import product

import torch
from torch import Tensor, nn

from chapters.laboratory import translator
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.recipe import trainer_of
from chapters.laboratory.translator import (
    BATCH,
    PEAK,
    WARM_UP,
    new_translator,
    numbers,
    scores,
    share_right,
)
from transformer.data import (
    Pair,
    TrainingBatches,
    english,
    french,
)
from transformer.models import Transformer
from transformer.training import (
    Callback,
    StepRecord,
    Trainer,
    run,
)

MEASUREMENTS = Measurements("training")
SEEDS = (0, 1, 2)
STEPS, EVERY = 600, 50
AVERAGED = 5  # snapshots, 20 steps apart, the last one at the end
# By name: the share of smoothing, and whether the learning rate falls to zero.
RECIPES = {"smoothed": (0.1, True), "plain": (0.0, True), "constant": (0.1, False)}
FEW, FEW_STEPS, BELOW = 200, 300, 10_000
DROPOUTS = (0.0, 0.1, 0.2)
SHOWN = Pair(english(80_297), french(80_297))  # not among the pairs to learn from


class Snapshots(Callback):
    """Keep the parameters of some of the last steps, to average them."""

    def __init__(self, steps: int) -> None:
        self.when = [steps - 20 * n for n in range(AVERAGED)]
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


def new_trainer(
    *,
    seed: int,
    steps: int,
    smoothing: float = 0.1,
    falls: bool = True,
    **choices: object,
) -> Trainer:
    """Return a trainer of `train_translator` that has taken no step yet.

    Args:
        seed: Seed of the parameters.
        steps: Number of steps that the schedule is made for.
        smoothing: Share of label smoothing.
        falls: Whether the learning rate falls to zero along a cosine, or stays.
        **choices: As in `new_translator`, such as `dropout` and `below`.
    """
    return trainer_of(
        new_translator(seed=seed, **choices),
        steps=steps,
        learning_rate=PEAK,
        warm_up=min(WARM_UP, steps // 2),
        smoothing=smoothing,
        falls=falls,
    )


def cross_weights(model: nn.Module, pair: Pair = SHOWN) -> dict[str, Tensor]:
    """Return the cross-attention of each layer while a number is translated.

    Each has the shape (heads, target, source); the first row is that of the begin,
    which predicts the first word.
    """
    weights = translator.cross_weights(model, numbers().tokenizer, pair)
    return {name: layer.cpu() for name, layer in weights.items()}


def train_recipe(recipe: str, seed: int, steps: int = STEPS) -> dict:
    """Train the translator by a recipe, and look at it every `EVERY` steps.

    Returns:
        step: When was looked; loss and cross_entropy: of held-out pairs, smoothed and
        plain; exact: the share of 200 of them that it translates by itself; losses:
        the training loss of each tenth step; last and averaged: what `ends` returns,
        of the last parameters and of the average of the last `AVERAGED` snapshots.
    """
    smoothing, falls = RECIPES[recipe]
    trainer = new_trainer(seed=seed, steps=steps, smoothing=smoothing, falls=falls)
    batches = TrainingBatches(numbers().learned, batch_size=BATCH, seed=seed)
    snapshots = Snapshots(steps)
    row: dict[str, list] = {"step": [], "loss": [], "cross_entropy": [], "exact": []}
    for step in range(EVERY, steps + 1, EVERY):
        run(trainer, batches, steps=step, callbacks=[snapshots])
        seen = scores(trainer.model, numbers().held_out[:500])
        right = share_right(trainer.model.eval(), numbers().splits.test[:200])
        for name, value in zip(row, (step, *seen[:2], right), strict=True):
            row[name].append(value)
    row |= {"losses": trainer.log.losses[::10], "last": ends(trainer.model)}
    if (recipe, seed) == ("smoothed", 0):
        weights = cross_weights(trainer.model)
        row["weights"] = {name: x.tolist() for name, x in weights.items()}
    trainer.model.load_state_dict(snapshots.average())
    return row | {"averaged": ends(trainer.model)}


def ends(model: Transformer) -> list[float]:
    """Return exact match and cross-entropy of all held-out pairs."""
    return [share_right(model.eval()), scores(model).cross_entropy]


def train_few(dropout: float, seed: int, steps: int = FEW_STEPS) -> dict:
    """Train the translator with few pairs of short numbers.

    Returns:
        learned and held_out: the cross-entropy of the pairs that were learned and of
        those held out, every `EVERY` steps, without dropout; exact: the share of the
        held-out pairs that the model translates by itself at the end.
    """
    task = numbers(BELOW)
    learned = task.learned[:FEW]
    choices = {"smoothing": 0.0, "below": BELOW, "dropout": dropout}
    trainer = new_trainer(seed=seed, steps=steps, **choices)
    batches = TrainingBatches(learned, batch_size=BATCH, seed=seed)
    row: dict = {"learned": [], "held_out": []}
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # for dropout
        for step in range(EVERY, steps + 1, EVERY):
            run(trainer, batches, steps=step)
            for name, examples in (("learned", learned), ("held_out", task.held_out)):
                row[name].append(scores(trainer.model, examples).cross_entropy)
    return row | {"exact": share_right(trainer.model.eval(), below=BELOW)}


def measured(kind: str, **settings: object) -> dict:
    """Train once: by a recipe, or with few pairs."""
    return {"recipe": train_recipe, "few": train_few}[kind](**settings)


def grid() -> list[dict]:
    """Return the settings of every training that the file holds."""
    recipes = ({"recipe": r, "seed": s} for r, s in product(RECIPES, SEEDS))
    few = ({"dropout": p, "seed": s} for p, s in product(DROPOUTS, SEEDS))
    return [
        *({"kind": "recipe", **setting} for setting in recipes),
        *({"kind": "few", **setting} for setting in few),
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, grid()), steps=STEPS)
