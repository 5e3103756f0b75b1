"""The trap of one learning rate: a few changes at three rates, each with all seeds.

No change is judged by these trainings; they show how a judgment at one rate comes out.
"""

from itertools import product

import torch

from chapters.ablations import changes
from chapters.ablations.changes import measured
from chapters.laboratory.differences import paired_interval
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.study import Gain, chosen

MEASUREMENTS = Measurements("ablations", "one_rate")
STEPS = changes.STUDY.budgets[0]
RATES, SEEDS = (1e-3, 3e-3, 1e-2), (0, 1, 2, 3, 4)
VARIANTS = ("baseline", "post-norm, no warm-up", "none", "2 d")


def settings() -> list[dict]:
    """Return the settings of every training that the file holds, in its order."""
    return [
        {"variant": variant, "learning_rate": rate, "steps": STEPS, "seed": seed}
        for variant, rate, seed in product(VARIANTS, RATES, SEEDS)
    ]


def shares(variant: str) -> torch.Tensor:
    """Return the share right, a row for each rate and a column for each seed.

    Args:
        variant: One of `VARIANTS`.
    """
    rows = MEASUREMENTS.read()
    found = (chosen(rows, variant=variant, learning_rate=rate) for rate in RATES)
    return torch.tensor(
        [[row["exact"] for row in some] for some in found],
        dtype=torch.float64,
        device="cpu",
    )


def gains(variant: str) -> list[Gain]:
    """Return what a variant gains over the baseline if both train at one rate.

    Args:
        variant: One of `VARIANTS`.

    Returns:
        The gain in the share of right answers, for each of `RATES`.
    """
    pairs = zip(shares(VARIANTS[0]), shares(variant), strict=True)
    return [Gain(*paired_interval(*pair)) for pair in pairs]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()))
