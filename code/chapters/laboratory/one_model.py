"""Two results of the same trainings, compared seed by seed.

A study compares variants; here each model is compared with itself, such as what it
writes in one way with what it writes in another.
"""

import torch

from chapters.laboratory.differences import paired_interval
from chapters.laboratory.study import Comparison, Gain, Results


def compare_fields(
    study: Results, variant: str, one: str, other: str, *, more_is_better: bool = False
) -> Comparison:
    """Compare two fields of a variant's trainings at its best rate, at all budgets.

    Args:
        study: What was measured.
        variant: The variant whose trainings are read.
        one: The field that gains or loses.
        other: The field that it is compared with.
        more_is_better: Whether the fields are shares of right answers, say, and no
            losses.
    """
    sign = 1 if more_is_better else -1
    gains = {}
    for steps in study.trained_steps:
        found, baseline = (
            sign * torch.tensor(study.results(variant, steps, field)).double()
            for field in (one, other)
        )
        gains[steps] = Gain(*paired_interval(baseline, found))
    return Comparison(gains)


def means(study: Results, variant: str, field: str) -> list[float]:
    """Return the mean of a field over the seeds, at each budget.

    Args:
        study: What was measured.
        variant: The variant whose trainings are read, at its best rates.
        field: A number that was measured.
    """
    ends = (study.results(variant, steps, field) for steps in study.trained_steps)
    return [sum(seeds) / len(seeds) for seeds in ends]
