"""Differences of paired results, and intervals around their mean.

Two trainings are a pair if they share the seed and differ in one thing alone.
"""

import math

import torch
from torch import Tensor

ANGLES = 200_001  # of the sum that stands for an integral
# Two variants that are one and the same can end at different rates, and then differ. On
# ladders of any steepness this adds at most a quarter of the variance of a difference.
CHOICE = 0.25


def t_quantile(degrees: int, share: float = 0.95) -> float:
    """Return q such that a t variable lies between -q and q with the given chance.

    With t = sqrt(degrees) tan(angle), the density is a power of the angle's cosine.

    Args:
        degrees: Degrees of freedom, the number of differences less one.
        share: The chance, above 0 and below 1.
    """
    angles = torch.linspace(0, math.pi / 2, ANGLES, dtype=torch.float64, device="cpu")
    held = torch.cos(angles).pow(degrees - 1).cumsum(dim=0)
    inside = int((held < share * held[-1]).sum())
    return math.sqrt(degrees) * math.tan(angles[inside])


def paired_interval(
    baseline: Tensor, changed: Tensor, share: float = 0.95, *, choice: float = 0.0
) -> tuple[float, float, float]:
    """Return the mean of the paired differences and the interval around it.

    Its half is t s √(1/n + choice), where s is the deviation of the n differences.

    Args:
        baseline: The result of each seed without the change.
        changed: The result of each seed with it, in the same order.
        share: How often such an interval shall hold the true difference.
        choice: `CHOICE` where another seed has chosen a learning rate for each side.

    Returns:
        Mean, lower end and upper end.
    """
    differences = changed - baseline
    count, mean = len(differences), differences.mean().item()
    error = differences.std().item() * math.sqrt(1 / count + choice)
    reach = t_quantile(count - 1, share) * error
    return mean, mean - reach, mean + reach
