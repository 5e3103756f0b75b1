"""How far the first step of a training moves the scores, for each order and depth.

`python -m chapters.norm_placement.first_move` writes the file beside this module.
"""

import torch

from chapters.laboratory.measurements import Measurements
from chapters.norm_placement.first_steps import moved_by_a_step
from chapters.norm_placement.orders import SMALL_START

MEASUREMENTS = Measurements("norm_placement", "first_move")
RATES, SEEDS = (1e-4, 3e-3), (0, 1, 2)
ORDERS = [f"{order}, {n} layers" for n in (2, 6, 12) for order in ("pre", "post")]
VARIANTS = (*ORDERS, SMALL_START)


def measured(variant: str) -> dict:
    """Return the mean of three seeds, as a part of the scores, at each of `RATES`."""
    moved = sum(moved_by_a_step(variant, RATES, seed) for seed in SEEDS) / len(SEEDS)
    return {"variant": variant, "moved": moved.tolist()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([measured(variant) for variant in VARIANTS], rates=RATES)
