"""What a change is worth: differences of trainings, and intervals around them.

Two trainings are a pair if they differ in the change alone and share the seed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from chapters.ablations.changes import CHANGES, STUDY
from chapters.laboratory.differences import t_quantile
from chapters.laboratory.study import CLEAR_AT_ONE_END, Gain, Results, Verdict
from chapters.tables import Table

BASELINE = "baseline"
# How the table calls a change whose name says little by itself.
NAMES = {
    "no norm": "no norms",
    "identity": "no activation",
    "bilinear": "bilinear gate",
    "none": "no feed-forward",
    "2 d": "feed-forward of 2 d",
    "8 d": "feed-forward of 8 d",
    "learned": "learned positions",
    "rotary": "rotary positions",
    "no scale": "no scale of scores",
    "1 heads": "1 head",
    "0 steps": "no warm-up",
    "100 steps": "warm-up of 100 steps",
}


def grouped_interval(
    baseline: Tensor, changed: Tensor, share: float = 0.95, *, choice: float = 0.0
) -> tuple[float, float, float]:
    """Return the difference of the means of two groups and the interval around it.

    For results that are no pairs. Both groups are taken to have one variance.

    Args:
        baseline: The results of one group.
        changed: The results of the other; their number may differ.
        share: As in `paired_interval`.
        choice: As there.

    Returns:
        Difference, lower end and upper end.
    """
    sizes = len(baseline), len(changed)
    degrees = sum(sizes) - 2
    squares = sum(x.var().item() * (len(x) - 1) for x in (baseline, changed))
    error = math.sqrt(squares / degrees * sum(1 / size + choice for size in sizes))
    difference = (changed.mean() - baseline.mean()).item()
    reach = t_quantile(degrees, share) * error
    return difference, difference - reach, difference + reach


def left_by_pairing(baseline: Tensor, changed: Tensor) -> float:
    """Return the variance of the paired differences, as a share of that without pairs.

    Args:
        baseline: The result of each seed without the change.
        changed: The result of each seed with it, in the same order.
    """
    return ((changed - baseline).var() / (baseline.var() + changed.var())).item()


@dataclass(frozen=True)
class Effect:
    """What one change is worth.

    Args:
        group: The choice that it belongs to.
        variant: Its name.
        gain: What it gains over the baseline, seed by seed.
    """

    group: str
    variant: str
    gain: Gain

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero, and the gain is one that matters."""
        return self.gain.verdict() is not Verdict.LEVEL


def results(variant: str, steps: int, field: str = "exact", study: Results = STUDY):
    """Return what each seed of a variant reached at its best rate, on the CPU."""
    numbers = study.results(variant, steps, field)
    return torch.tensor(numbers, dtype=torch.float64, device="cpu")


def effects(
    steps: int,
    *,
    share: float = 0.95,
    groups: Mapping[str, Mapping] = CHANGES,
    study: Results = STUDY,
) -> list[Effect]:
    """Return what each change is worth, in the order of the groups.

    Args:
        steps: The budget.
        share: As in `paired_interval`.
        groups: The changes by the choice that they belong to, among them the baseline.
        study: What was trained.
    """
    baseline = results(BASELINE, steps, study=study)

    def gain(variant: str) -> Gain:
        changed = results(variant, steps, study=study)
        return study.gain(baseline, changed, share)

    return [
        Effect(group, variant, gain(variant))
        for group, variants in groups.items()
        for variant in variants
        if variant != BASELINE
    ]


def called(variant: str) -> str:
    """Return how tables call a change."""
    return NAMES.get(variant, variant)


def verdict(gains: Mapping[int, Gain]) -> Verdict:
    """Return what holds at the first and at the last budget.

    Args:
        gains: What a change gains, by number of steps.
    """
    first, last = (gains[steps].verdict() for steps in (min(gains), max(gains)))
    if first is last:
        return first
    return CLEAR_AT_ONE_END.get((first, last), Verdict.TURNS)


def table(
    variants: Sequence[str] | None = None,
    *,
    field: str = "exact",
    study: Results = STUDY,
) -> Table:
    """Return a row for each change, from the greatest loss to the greatest gain.

    Above them stands the baseline. Each row has the mean result of every budget, the
    gain after the first with its interval, and what holds at all of them.

    Args:
        variants: Which changes; all when not given.
        field: What was measured; more is better.
        study: What was trained.
    """
    budgets = study.trained_steps
    every = [name for group in CHANGES.values() for name in group if name != BASELINE]
    gains = {
        name: study.compare(name, BASELINE, field, more_is_better=True).gains
        for name in variants or every
    }

    def means(name: str) -> list[float]:
        return [results(name, steps, field, study).mean() for steps in budgets]

    head = ["right after steps", *(f"{steps:,}" for steps in budgets)]
    rows = [[BASELINE, *means(BASELINE), "", ""]]
    for name in sorted(gains, key=lambda name: gains[name][budgets[0]].mean):
        gain, found = gains[name][budgets[0]], verdict(gains[name])
        rows.append([called(name), *means(name), str(gain), str(found)])
    return Table([*head, f"gain, {budgets[0]} steps", "verdict"], rows)
