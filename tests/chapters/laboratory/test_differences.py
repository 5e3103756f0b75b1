"""Intervals around the mean of paired differences."""

import math
from functools import cache

import pytest
import torch

from chapters.laboratory import differences
from chapters.laboratory.differences import CHOICE, paired_interval, t_quantile


def test_t_quantiles_agree_with_closed_forms():
    share = 0.95
    assert t_quantile(1) == pytest.approx(math.tan(math.pi * share / 2), rel=1e-4)
    two = share * math.sqrt(2 / (1 - share**2))
    assert t_quantile(2) == pytest.approx(two, rel=1e-4)
    assert t_quantile(10_000) == pytest.approx(1.96, abs=2e-3)


def test_the_interval_of_four_seeds_by_hand():
    before, after = (
        torch.tensor([0.8, 0.6, 0.7, 0.9]),
        torch.tensor([0.84, 0.66, 0.72, 0.94]),
    )
    found = paired_interval(before.double(), after.double())
    assert found == pytest.approx((0.04, 0.014, 0.066), abs=5e-5)


def test_a_choice_of_rates_makes_the_interval_longer():
    one, other = torch.tensor([0.1, 0.2, 0.4, 0.5]), torch.zeros(4)
    mean, low, _ = paired_interval(other.double(), one.double())
    again, lower, _ = paired_interval(other.double(), one.double(), choice=0.75)
    assert again == mean
    assert again - lower == pytest.approx(2 * (mean - low))


def false_alarms(seeds, steepness, choice, pairs=4000):
    """Return how often two variants that are one and the same seem to differ.

    Each tries seven rates with a seed that is not counted, and takes the best. A seed
    changes a result by 1, a rate by the steepness times the square of its distance from
    the best, which lies somewhere between two rates.
    """
    drawn = torch.Generator("cpu").manual_seed(seeds)
    best = torch.rand(pairs, 1, generator=drawn, dtype=torch.float64) - 0.5
    costs = steepness * (torch.arange(-3, 4) - best).square()
    sides = []
    for _ in range(2):
        shape = (pairs, 1 + seeds, 7)
        noise = torch.randn(shape, generator=drawn, dtype=torch.float64)
        results = costs[:, None] + noise
        rate = results[:, 0].argmin(dim=-1)
        sides.append(results[torch.arange(pairs), 1:, rate])
    found = (
        paired_interval(one, other, choice=choice)
        for one, other in zip(*sides, strict=True)
    )
    return sum(not low < 0 < high for _, low, high in found) / pairs


@pytest.fixture(autouse=True)
def quantiles_are_found_once(monkeypatch):
    monkeypatch.setattr(differences, "t_quantile", cache(t_quantile))


@pytest.mark.parametrize("seeds", [3, 4])
def test_two_equal_variants_differ_in_five_of_a_hundred_comparisons(seeds):
    shares = [false_alarms(seeds, steep, CHOICE) for steep in (0.1, 0.5, 1, 2, 4, 8)]
    assert max(shares) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 4000)
    assert min(shares) > 0.02  # nor does it ask for more than it must


def test_without_the_choice_equal_variants_differ_twice_as_often():
    assert false_alarms(4, 2, choice=0.0) > 0.085
