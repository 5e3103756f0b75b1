"""The measurements on cost and scale, and the file of their results."""

from itertools import product

import pytest

from chapters.cost_and_scale.experiments import (
    LENGTHS,
    MEASUREMENTS,
    SEEDS,
    WIDTHS,
    learned,
    sized,
    steps_for_budget,
    timed,
    train_shared,
    with_torchrun,
)
from chapters.laboratory.language_model import BATCH, DEFAULTS, LENGTH
from transformer.config import TransformerConfig
from transformer.costs import training_flops
from transformer.training.world import World


@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_spends_the_same_within_half_a_step(width):
    def spent(width, steps):
        config = TransformerConfig(**(DEFAULTS | sized(width)))
        return steps * training_flops(config, batch=BATCH, target=LENGTH).total

    gap = spent(width, steps_for_budget(width)) - spent(64, 120)
    assert abs(gap) <= spent(width, 1) / 2


def test_the_file_holds_each_timing_and_each_training_once():
    rows = MEASUREMENTS.read()
    assert [row["length"] for row in rows if "length" in row] == list(LENGTHS)
    trained = [(row["width"], row["seed"]) for row in rows if "width" in row]
    assert trained == list(product(WIDTHS, SEEDS))


def test_a_training_repeats():
    assert learned(16, 0, budget_steps=1) == learned(16, 0, budget_steps=1)


def test_timings_are_milliseconds_of_three_calls():
    times = timed(32, rounds=1)
    assert set(times) == {"fused", "formula", "network"}
    assert all(0 < time < 10_000 for time in times.values())


def test_two_processes_learn_what_one_learns_and_each_share_is_a_half():
    one, two = train_shared(World(), shard=False), with_torchrun(2)
    for found in two.values():
        gap = found["parameters"] - one["parameters"]
        assert gap.abs().max() < 1e-12
    assert two["whole copies"]["held"] == one["held"]
    assert two["shares"]["held"] == one["held"] / 2
