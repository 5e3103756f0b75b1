"""The translator of the chapter, looked at while it learns, from three seeds.

It takes minutes, so the chapter reads the results from a file that
`python -m chapters.training.experiments` writes, and repeats one training.
"""

from torch import Tensor, nn

from chapters.laboratory import translator
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.translator import (
    BATCH,
    PEAK,
    numbers,
    scores,
    share_right,
)
from chapters.training import recipes
from transformer.data import Pair, TrainingBatches, english, french
from transformer.training import Trainer, run

MEASUREMENTS = Measurements("training")
SEEDS = (0, 1, 2)
STEPS, EVERY = 600, 50
SHOWN = Pair(english(80_297), french(80_297))  # not among the pairs to learn from


def new_trainer(*, seed: int, steps: int) -> Trainer:
    """Return a trainer of `train_translator` that has taken no step yet.

    Args:
        seed: Seed of the parameters.
        steps: Number of steps that the schedule is made for.
    """
    return recipes.new_trainer("smoothed", seed=seed, steps=steps, learning_rate=PEAK)


def cross_weights(model: nn.Module, pair: Pair = SHOWN) -> dict[str, Tensor]:
    """Return the cross-attention of each layer while a number is translated.

    Each has the shape (heads, target, source); the first row is that of the begin,
    which predicts the first word.
    """
    weights = translator.cross_weights(model, numbers().tokenizer, pair)
    return {name: layer.cpu() for name, layer in weights.items()}


def measured(*, seed: int, steps: int = STEPS) -> dict:
    """Train the translator, and look at it every `EVERY` steps.

    Returns:
        step: When was looked; cross_entropy: of 500 held-out pairs; exact: the share
        of 200 of them that it translates by itself; weights, from the first seed:
        what `cross_weights` returns at the end.
    """
    trainer = new_trainer(seed=seed, steps=steps)
    batches = TrainingBatches(numbers().learned, batch_size=BATCH, seed=seed)
    row: dict = {"step": [], "cross_entropy": [], "exact": []}
    for step in range(EVERY, steps + 1, EVERY):
        run(trainer, batches, steps=step)
        nats = scores(trainer.model, numbers().held_out[:500]).cross_entropy
        right = share_right(trainer.model.eval(), numbers().splits.test[:200])
        for name, value in zip(row, (step, nats, right), strict=True):
            row[name].append(value)
    if seed == SEEDS[0]:
        weights = cross_weights(trainer.model)
        row["weights"] = {name: x.tolist() for name, x in weights.items()}
    return row


if __name__ == "__main__":
    settings = [{"seed": seed} for seed in SEEDS]
    MEASUREMENTS.write(measure_all(measured, settings), steps=STEPS)
