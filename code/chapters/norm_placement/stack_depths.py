"""Fresh stacks of many depths: what the explorer of norm placement shows.

The chapter sends a signal through three depths itself. The explorer reads more of them
from a file that `python -m chapters.norm_placement.stack_depths` writes.
"""

from itertools import product

import torch
from torch import Tensor

from chapters.laboratory.measurements import Measurements, measure_all
from chapters.norm_placement.fresh_stacks import Signal, send_signal

MEASUREMENTS = Measurements("norm_placement", "stack_depths")
DEPTHS = (2, 4, 6, 8, 12, 16, 24, 48)
# Without norms, what stands behind 48 layers differs from processor to processor.
DEEPEST = {"pre": 48, "post": 48, "none": 24}
SEEDS = (0, 1, 2)
MEASURES = {
    "gradient": lambda signal: signal.gradients,
    "variance": Signal.variances,
    "cosine": Signal.cosines,
    "likeness": Signal.likeness,
}
LEAST = 5e-4  # below this no drawing shows a difference from zero


def kept(numbers: Tensor) -> list[float]:
    """Return numbers of three digits, and zero for those too small to be seen."""
    return [float(f"{x:.3g}") if abs(x) > LEAST else 0.0 for x in numbers.tolist()]


def measured(*, placement: str, layers: int, seeds: tuple[int, ...] = SEEDS) -> dict:
    """Send signals through fresh stacks, and return what there is at each layer.

    Args:
        placement: "pre", "post", or "none" for a stack without norms.
        layers: Number of encoder layers.
        seeds: Of the parameters and the signals.

    Returns:
        For each of `MEASURES` the mean over the seeds, the least and the most: of
        gradients a number for each layer, of all else one more for the input.
    """
    # The chapter computes in float64 too.
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        runs = [send_signal(placement, layers=layers, seed=seed) for seed in seeds]
    finally:
        torch.set_default_dtype(default)
    found = {}
    for name, measure in MEASURES.items():
        of_seed = torch.stack([measure(run).double() for run in runs])
        ends = (of_seed.mean(dim=0), of_seed.amin(dim=0), of_seed.amax(dim=0))
        found[name] = [kept(numbers) for numbers in ends]
    return found


def settings() -> list[dict]:
    """Return the settings of every stack that the file holds."""
    return [
        {"placement": placement, "layers": layers}
        for placement, layers in product(DEEPEST, DEPTHS)
        if layers <= DEEPEST[placement]
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), seeds=len(SEEDS))
