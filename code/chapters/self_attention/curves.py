"""The losses of three kinds of heads while they learn associative recall.

`python -m chapters.self_attention.curves` writes the file beside this module.
"""

import torch

from chapters.laboratory.measurements import Measurements
from chapters.self_attention.recall import VARIANTS, best_curves

MEASUREMENTS = Measurements("self_attention", "curves")
SEEDS = (0, 1)


def measured(variant: str) -> dict:
    """Return the losses of a variant, a list for each seed."""
    return {"variant": variant, "losses": best_curves(variant, seeds=SEEDS)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([measured(variant) for variant in VARIANTS])
