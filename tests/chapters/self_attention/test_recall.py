"""The recall task starts at guessing, and repeats to the last bit."""

import math

import pytest
import torch

from chapters.self_attention.recall import STUDY, best_curves, measured, train_recall


def test_recall_starts_at_the_loss_of_guessing_when_scaled():
    losses = train_recall(d_head=16, scale=0.25, seed=0, steps=1)
    assert losses[0] == pytest.approx(math.log(32), abs=0.6)


def test_a_measurement_repeats_to_the_last_bit():
    losses = train_recall(d_head=8, scale=0.3, seed=3, steps=5)
    torch.rand(7)
    assert train_recall(d_head=8, scale=0.3, seed=3, steps=5) == losses


def test_small_queries_start_where_the_factor_does():
    with_factor, without, moved = (
        train_recall(d_head=64, scale=scale, queries=queries, seed=3, steps=1)[0]
        for scale, queries in ((0.125, 1.0), (1.0, 1.0), (1.0, 0.125))
    )
    assert moved == pytest.approx(with_factor)
    assert without != pytest.approx(with_factor)


def test_a_measurement_is_the_mean_of_the_last_losses():
    options = {"learning_rate": 3e-3, "steps": 60, "seed": 3}
    losses = train_recall(d_head=64, scale=0.125, **options)
    found = measured("factor", **options)
    assert found["loss"] + found["validation"] == pytest.approx(sum(losses[-50:]) / 25)
    assert {*found, "seconds", "variant", *options} == {*STUDY.rows[0]}


def test_a_curve_ends_at_the_loss_in_the_file():
    # Seed 0 chose the rate and is not counted, so that the first result is of seed 1.
    [losses] = best_curves("factor", seeds=[1])
    stored, *_ = STUDY.results("factor", 150, "loss")
    assert sum(losses[-49::2]) / 25 == pytest.approx(stored, abs=1e-3)
