"""The trap of one learning rate: a few changes at three rates, each with all seeds.

No change is judged by these trainings; they show how a judgment at one rate comes out.
"""

from itertools import product

import torch

from chapters.ablations import changes
from chapters.ablations.changes import SEEDS, measured
from chapters.laboratory.differences import paired_interval
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.study import Gain, chosen

MEASUREMENTS = Measurements("ablations", "one_rate")
STEPS = changes.STUDY.budgets[0]
RATES = (1e-3, 3e-3, 1e-2)
VARIANTS = ("baseline", "post-norm, no warm-up", "none", "2 d")


def settings() -> list[dict]:
    """Return the settings of every training that the file holds, in its order."""
    return [
        {"variant": variant, "learning_rate": rate, "steps": STEPS, "seed": seed}
        for variant, rate, seed in product(VARIANTS, RATES, SEEDS)
    ]


def gains(variant: str) -> list[Gain]:
    """Return what a variant gains over the baseline if both train at one rate.

    Args:
        variant: One of `VARIANTS`.

    Returns:
        The gain in the share of right answers, for each of `RATES`.
    """
    rows = MEASUREMENTS.read()

    def shares(name: str, rate: float) -> torch.Tensor:
        found = chosen(rows, variant=name, learning_rate=rate)
        return torch.tensor([row["exact"] for row in found], dtype=torch.float64)

    return [
        Gain(*paired_interval(shares(VARIANTS[0], rate), shares(variant, rate)))
        for rate in RATES
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()))
