"""What a change is worth: paired differences of trainings, and intervals around them.

Two trainings are a pair if they differ in the change alone and share the seed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from chapters.laboratory.differences import paired_interval, t_quantile


def grouped_interval(
    baseline: Tensor, changed: Tensor, share: float = 0.95
) -> tuple[float, float, float]:
    """Return the difference of the means of two groups and the interval around it.

    For results that are no pairs. Both groups are taken to have one variance.

    Args:
        baseline: The results of one group.
        changed: The results of the other; their number may differ.
        share: As in `paired_interval`.

    Returns:
        Difference, lower end and upper end.
    """
    sizes = len(baseline), len(changed)
    degrees = sum(sizes) - 2
    squares = sum(x.var().item() * (len(x) - 1) for x in (baseline, changed))
    error = math.sqrt(squares / degrees * sum(1 / size for size in sizes))
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
        learning_rate: The rate at which it was measured.
        parameters: Of the changed model.
        changed: The result of each seed.
        mean: The mean difference from the baseline.
        low: Lower end of the interval around it.
        high: Upper end.
    """

    group: str
    variant: str
    learning_rate: float
    parameters: int
    changed: tuple[float, ...]
    mean: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


def results(rows: Sequence[Mapping], field: str, **wanted: object) -> Tensor:
    """Return a field of the rows with these settings, on the CPU, by seed."""
    chosen = [row for row in rows if row.items() >= wanted.items()]
    chosen.sort(key=lambda row: row["seed"])
    numbers = [row[field] for row in chosen]
    return torch.tensor(numbers, dtype=torch.float64, device="cpu")


def chosen_rate(rows: Sequence[Mapping], variant: str) -> float:
    """Return the learning rate at which a variant gets most numbers right."""
    rates = dict.fromkeys(row["learning_rate"] for row in rows)
    means = {
        rate: results(rows, "exact", variant=variant, learning_rate=rate).mean().item()
        for rate in rates
    }
    return max(means, key=means.__getitem__)


def effects(
    rows: Sequence[Mapping],
    groups: Mapping[str, Mapping],
    *,
    field: str = "exact",
    share: float = 0.95,
    rate: float | None = None,
) -> list[Effect]:
    """Return what each change is worth, in the order of the groups.

    Args:
        rows: What was measured.
        groups: The changes by the choice that they belong to, the baseline first.
        field: Which result.
        share: As in `paired_interval`.
        rate: The learning rate for all; each variant's own best when not given.
    """
    found, baseline = [], None
    for group, variants in groups.items():
        for variant in variants:
            at = chosen_rate(rows, variant) if rate is None else rate
            wanted = {"variant": variant, "learning_rate": at}
            changed = results(rows, field, **wanted)
            baseline = changed if baseline is None else baseline
            interval = paired_interval(baseline, changed, share)
            size = int(results(rows, "parameters", **wanted)[0])
            found.append(
                Effect(group, variant, at, size, tuple(changed.tolist()), *interval)
            )
    return found[1:]


def pairing(
    rows: Sequence[Mapping], variants: Sequence[str], rate: float | None = None
) -> list[float]:
    """Return what `left_by_pairing` says of each change, the smallest share first.

    Args:
        rows: What was measured.
        variants: The baseline and then the changes.
        rate: The learning rate for all; each variant's own best when not given.
    """
    baseline, *changed = (
        results(
            rows,
            "exact",
            variant=variant,
            learning_rate=chosen_rate(rows, variant) if rate is None else rate,
        )
        for variant in variants
    )
    return sorted(left_by_pairing(baseline, shares) for shares in changed)
