"""What breaks a model in a text that is too long: how many keys it sees, or how far.

A query of a trained model is shown the keys at chosen distances, without any more
training: the nearest ones alone, or half of them and as many from farther back. The
trainings take minutes; `python -m chapters.laboratory.far_keys` wrote the file.
"""

from collections.abc import Sequence
from itertools import product

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from chapters.laboratory import positions
from chapters.laboratory.language_model import LENGTH, nats
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.positions import LENGTHS, ChosenDistances
from chapters.laboratory.study import versions

MEASUREMENTS = Measurements("laboratory", "far_keys")
VARIANTS = ("rotary", "slow planes still", "relative, no factor")
STEPS = positions.STUDY.budgets[0]
NEAR = LENGTH // 2  # keys that stay where they are
STARTS = (32, 64, 96, 128, 192, 256, 384)  # where as many others begin
WINDOWS = (48, 56, 60, 62, 64)


def distances(*ranges: Sequence[int]) -> Bool[Tensor, " distances"]:
    """Return which distances are seen, those in any of some ranges."""
    seen = torch.zeros(LENGTHS[-1], dtype=torch.bool, device="cpu")
    for some in ranges:
        seen[list(some)] = True
    return seen


def last_nats(model: nn.Module, *ranges: Sequence[int]) -> float:
    """Return the loss on the last letters of the longest texts, with these keys."""
    shown = ChosenDistances(model, distances(*ranges))
    return nats(shown, length=LENGTHS[-1], last=LENGTH)


def measured(variant: str, seed: int, steps: int = STEPS) -> dict:
    """Train one model of the study of positions, and hide keys from it.

    Returns:
        "windows": the loss at the end of long texts for each of `WINDOWS`; "moved":
        the same with `NEAR` nearest keys and as many from each of `STARTS` on.
    """
    model, _ = positions.train(
        variant,
        seed=seed,
        steps=steps,
        learning_rate=positions.STUDY.best_rate(variant, STEPS),
    )
    near = range(NEAR)
    return {
        "windows": [last_nats(model, range(window)) for window in WINDOWS],
        "moved": [last_nats(model, near, range(s, s + NEAR)) for s in STARTS],
    }


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    seeds = positions.STUDY.counted_seeds
    return [{"variant": v, "seed": s} for v, s in product(VARIANTS, seeds)]


if __name__ == "__main__":
    MEASUREMENTS.write(
        measure_all(measured, settings()), steps=STEPS, versions=versions()
    )
