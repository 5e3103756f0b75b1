"""Numbers in English and French words, and trainings on them.

The trainings were made for the chapter on the placement of norms; others read them too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from chapters.laboratory.measurements import Measurements
from transformer.data import Splits, WordTokenizer, number_words

BELOW = 1_000  # numbers to translate
MEASUREMENTS = Measurements("norm_placement")
# What the file holds: every combination of these.
GRID = {
    "placement": ("pre", "post"),
    "layers": (2, 6, 12),
    "warm_up": (0, 60),
    "learning_rate": (3e-4, 1e-3, 3e-3, 1e-2),
    "seed": (0, 1, 2),
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """A training on number words: what was set, and what came out.

    Args:
        placement: "pre" or "post".
        layers: Layers of the encoder, and of the decoder.
        warm_up: Steps over which the learning rate rises, 0 for none.
        learning_rate: The learning rate after that.
        seed: Seed of the parameters and of the order of the data.
        losses: The training loss of each step, or of each fifth in the file.
        highest_loss: The highest of all.
        largest_gradient: The longest gradient of all steps.
        cross_entropy: Nats per token of numbers that were held out.
        exact_match: Share of held-out numbers that are translated without a fault.
    """

    placement: str
    layers: int
    warm_up: int
    learning_rate: float
    seed: int
    losses: Sequence[float]
    highest_loss: float
    largest_gradient: float
    cross_entropy: float
    exact_match: float


@cache
def numbers() -> tuple[Splits, WordTokenizer]:
    """Return the numbers below a thousand, the same for every training."""
    splits = number_words(below=BELOW, train=2000, validation=0, test=200, seed=0)
    texts = [text for pair in splits.train for text in pair]
    return splits, WordTokenizer.fit(texts)


def read_runs() -> list[Run]:
    """Return the trainings that were measured."""
    return [Run(**row) for row in MEASUREMENTS.read()]


def results(runs: Sequence[Run], field: str, **wanted: object) -> Tensor:
    """Return a field of the trainings with these settings, a row for each seed.

    Args:
        runs: What `read_runs` returned.
        field: Which result, such as "cross_entropy".
        **wanted: The settings, such as `layers=12`; those of all learning rates when
            none is given.

    Shape:
        (seeds, learning rates), and one axis more for losses.
    """
    chosen = [
        run
        for run in runs
        if all(getattr(run, name) == value for name, value in wanted.items())
    ]
    rows = [
        [getattr(run, field) for run in chosen if run.seed == seed]
        for seed in GRID["seed"]
    ]
    return torch.tensor(rows, dtype=torch.float64, device="cpu")
