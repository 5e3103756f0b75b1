"""Tests of the learning rates."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.training import constant_schedule, cosine_schedule, noam_schedule

PAPER = {
    1: 1.747e-7,
    100: 1.747e-5,
    1000: 1.747e-4,
    2000: 3.494e-4,
    4000: 6.988e-4,
    8000: 4.941e-4,
    16_000: 3.494e-4,
    100_000: 1.398e-4,
}


@facts("step, rate", PAPER.items())
def test_the_base_model_of_2017(step, rate):
    assert noam_schedule(step, d_model=512, warmup=4000) == pytest.approx(
        rate, rel=5e-4
    )


@given(warmup=st.integers(1, 999), d_model=st.integers(1, 999))
def test_noam_peaks_where_the_warmup_ends(warmup, d_model):
    rates = [
        noam_schedule(step, d_model=d_model, warmup=warmup)
        for step in range(1, 2 * warmup + 2)
    ]
    assert rates.index(max(rates)) + 1 == warmup
    assert max(rates) == pytest.approx((d_model * warmup) ** -0.5)


def test_cosine_by_hand():
    rates = [
        cosine_schedule(step, peak=2.0, steps=8, warmup=4, floor=1.0)
        for step in range(1, 10)
    ]
    expected = [0.5, 1, 1.5, 2, 1.8535534, 1.5, 1.1464466, 1, 1]
    assert rates == pytest.approx(expected)


def test_a_floor_as_high_as_the_peak_keeps_the_rate():
    rates = [cosine_schedule(step, peak=0.5, steps=3, floor=0.5) for step in (1, 2, 3)]
    assert rates == [0.5] * 3


@facts("floor", [-0.1, 0.6, math.inf, math.nan])
def test_a_floor_that_is_not_from_zero_to_the_peak_is_refused(floor, refuses):
    refuses(
        lambda: cosine_schedule(1, peak=0.5, steps=3, floor=floor),
        ValueError,
        f"floor must lie from 0 to peak=0.5, got {floor:g}; lower it",
    )


def test_cosine_without_warmup_is_the_one_of_pytorch(parity):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.3)
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 17, eta_min=0.1)
    found, expected = [], []
    for step in range(1, 18):
        optimizer.step()
        theirs.step()
        found.append(cosine_schedule(step, peak=0.3, steps=17, floor=0.1))
        expected += theirs.get_last_lr()
    found, expected = (torch.tensor(r, dtype=torch.float64) for r in (found, expected))
    parity(cosine_schedule, theirs).values(found, expected, rtol=1e-12, atol=0)


def test_constant_by_hand():
    rates = [constant_schedule(step, peak=3.0, warmup=3) for step in range(1, 6)]
    assert rates == pytest.approx([1, 2, 3, 3, 3])
    assert constant_schedule(1, peak=3.0) == 3


@facts(
    "call, error, message",
    [
        (lambda: noam_schedule(0, d_model=8, warmup=4), ValueError, "step must be at"),
        (lambda: noam_schedule(1, d_model=8, warmup=0), ValueError, "warmup must be"),
        (lambda: noam_schedule(1.5, d_model=8, warmup=4), TypeError, "step must be a"),
        (
            lambda: cosine_schedule(1, peak=1.0, steps=5, warmup=5),
            ValueError,
            "warmup.*got 5",
        ),
        (lambda: cosine_schedule(1, peak=0.0, steps=5), ValueError, "peak must be"),
        (lambda: cosine_schedule(1, peak=1.0, steps=0), ValueError, "^steps.*got 0"),
        (lambda: constant_schedule(1, peak=-1.0), ValueError, "peak must be finite"),
        (lambda: constant_schedule(0, peak=1.0), ValueError, "step must be at least 1"),
    ],
)
def test_what_does_not_fit_is_refused(refuses, call, error, message):
    refuses(call, error, message)
