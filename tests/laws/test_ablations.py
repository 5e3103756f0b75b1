"""The laws of the chapter on ablations, for random results."""

import math
from itertools import combinations, product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.differences import paired_interval, t_quantile

SEEDS = st.integers(0, 99)
COUNTS = st.sampled_from([2, 3, 5, 7, 11])


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@given(seed=SEEDS, count=COUNTS, scale=st.floats(0.1, 10))
@settings(max_examples=25)
def test_a_paired_difference_has_both_variances_less_twice_the_covariance(
    seed, count, scale
):
    before, after = draw(seed, count), scale * draw(seed + 1, count)
    table = torch.cov(torch.stack([before, after]))
    law = table[0, 0] + table[1, 1] - 2 * table[0, 1]
    assert_close((after - before).var(), law, rtol=1e-9, atol=1e-12)


@given(seed=SEEDS, count=COUNTS, shift=st.floats(-9, 9), scale=st.floats(0.1, 10))
@settings(max_examples=25)
def test_the_t_quotient_forgets_mean_and_spread(seed, count, shift, scale):
    normal = draw(seed, count)
    scaled = shift + scale * normal

    def quotient(x, mean):
        return (x.mean() - mean) / (x.std() / count**0.5)

    assert_close(quotient(scaled, shift), quotient(normal, 0), rtol=1e-6, atol=1e-9)


@given(seed=SEEDS, count=COUNTS, shift=st.floats(-9, 9), scale=st.floats(0.1, 10))
@settings(max_examples=25)
def test_the_interval_moves_and_stretches_with_the_differences(
    seed, count, shift, scale
):
    zero, normal = torch.zeros(count, dtype=torch.float64), draw(seed, count)
    plain = paired_interval(zero, normal)
    moved = paired_interval(zero, shift + scale * normal)
    for before, after in zip(plain, moved, strict=True):
        assert after == pytest.approx(shift + scale * before, rel=1e-6, abs=1e-6)


@facts("count", [2, 3, 5])
def test_intervals_hold_the_true_difference_as_often_as_they_say(count):
    differences = 0.3 + 2 * draw(count, 20_000, count)
    error = differences.std(dim=1) / count**0.5
    held = (differences.mean(dim=1) - 0.3).abs() <= t_quantile(count - 1) * error
    assert held.double().mean().item() == pytest.approx(0.95, abs=0.006)  # 4 sigma


@facts("n", [1, 2, 3, 4])
def test_ranges_are_disjoint_in_two_of_all_placements(n):
    places = [set(chosen) for chosen in combinations(range(2 * n), n)]
    apart = [
        chosen
        for chosen in places
        if max(chosen) < n or min(chosen) >= n  # all below, or all above
    ]
    assert len(apart) / len(places) == pytest.approx(2 / math.comb(2 * n, n))


@given(
    weights=st.lists(st.floats(0.01, 1), min_size=8, max_size=8),
)
@settings(max_examples=25)
def test_dependent_alarms_still_add_up_and_bound_the_chance_of_any(weights):
    total = sum(weights)
    events = list(product((0, 1), repeat=3))  # three comparisons, in any dependence
    chances = [weight / total for weight in weights]
    each = [
        sum(c * e[i] for c, e in zip(chances, events, strict=True)) for i in (0, 1, 2)
    ]
    expected = sum(c * sum(e) for c, e in zip(chances, events, strict=True))
    any_alarm = sum(c for c, e in zip(chances, events, strict=True) if any(e))
    assert expected == pytest.approx(sum(each))
    assert any_alarm <= sum(each) + 1e-12


@given(alpha=st.floats(0.001, 0.5), count=st.integers(1, 7))
@settings(max_examples=25)
def test_independent_alarms_follow_the_power_law(alpha, count):
    chance = 0.0
    for event in product((0, 1), repeat=count):
        if any(event):
            chance += math.prod(alpha if hit else 1 - alpha for hit in event)
    assert chance == pytest.approx(1 - (1 - alpha) ** count)
