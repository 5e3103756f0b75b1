"""Intervals around the mean of paired differences."""

import math

import pytest
import torch

from chapters.laboratory.differences import paired_interval, t_quantile


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
