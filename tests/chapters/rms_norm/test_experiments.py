"""The measurements of the chapter on RMSNorm, and the file of their results."""

import pytest
import torch
from torch import nn

from chapters.rms_norm import experiments as rms_norm
from chapters.rms_norm.experiments import (
    MEASUREMENTS,
    SHAPES,
    TRAININGS,
    mean_shares,
    measured,
    norms_of,
    time_norms,
    train_with,
)
from transformer.layers import LayerNorm, RMSNorm

KINDS = {"layer": LayerNorm, "rms": RMSNorm, "none": nn.Identity}
SHORT = {"layers": 1, "steps": 8, "seed": 5}


@pytest.mark.parametrize(("norm", "kind"), KINDS.items())
def test_every_norm_is_of_the_kind_that_was_asked_for(norm, kind):
    trained = train_with(norm, **SHORT)
    assert [type(found) for found in norms_of(trained.model)] == [kind] * 3
    assert not trained.diverged
    assert len(trained.losses) == 8


def test_shares_are_of_what_each_norm_reads():
    model = train_with("layer", **SHORT).model
    with torch.no_grad():
        model.embedding.tokens.embedding.weight.fill_(1.0)
    shares = mean_shares(model)
    assert shares.shape == (3,)
    assert shares[0].item() == pytest.approx(1.0)
    assert (shares >= 0).all()
    assert (shares[1:] < 1).all()


@pytest.mark.parametrize("backward", [False, True])
def test_times_are_of_four_norms(backward):
    times = time_norms((2, 3, 5), backward=backward, rounds=2)
    assert len(times) == 4
    assert min(times.values()) > 0


def test_ratios_are_to_the_layer_norm_of_pytorch(monkeypatch):
    monkeypatch.setattr(rms_norm, "SHAPES", ((2, 3, 5),))
    monkeypatch.setattr(rms_norm, "ROUNDS", 2)
    rows = rms_norm.measure_times()
    assert len(rows) == 8
    assert {row["ratio"] for row in rows if row["norm"] == "F.layer_norm"} == {1.0}


def test_a_measurement_says_what_came_out():
    row = measured(part="training", norm="rms", **SHORT)
    assert row["parameters"] > 0
    assert len(row["mean_shares"]) == 3
    assert not row["diverged"]


def test_the_file_holds_each_measurement_once():
    rows = MEASUREMENTS.read()
    trained = [row for row in rows if row["part"] == "training"]
    found = [{name: row[name] for name in TRAININGS[0]} for row in trained]
    assert found == TRAININGS
    assert len(rows) == len(TRAININGS) + len(SHAPES) * 2 * 4
