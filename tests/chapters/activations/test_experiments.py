"""The measurements of the chapter on activations, and the file that holds them."""

import pytest
import torch
from torch import nn

from chapters.activations import experiments as activations
from chapters.activations.experiments import (
    MEASUREMENTS,
    TIMED,
    dead_share,
    grid,
    regression,
    times,
)


def test_dead_units_are_those_without_a_slope_anywhere():
    network = nn.Linear(3, 5)
    with torch.no_grad():
        network.weight.fill_(0.01)
        network.bias.copy_(torch.tensor([-9.0, 1.0, -9.0, 1.0, 1.0]))
    x = torch.ones(7, 3)
    assert dead_share(network, "relu", x) == pytest.approx(0.4)
    assert dead_share(network, "silu", x) == 0


def test_a_regression_repeats_and_learns():
    first = regression("silu", learning_rate=0.1, seed=3, steps=31)
    torch.rand(3)
    assert regression("silu", learning_rate=0.1, seed=3, steps=31) == first
    assert (
        first["loss"] < regression("silu", learning_rate=0.1, seed=3, steps=1)["loss"]
    )
    assert first["dead"] == 0


def test_times_are_told_for_each_function_and_the_products(monkeypatch):
    monkeypatch.setattr(activations, "ROUNDS", 2)
    monkeypatch.setattr(activations, "TOKENS", 7)
    rows = times()
    assert [row["name"] for row in rows] == [*TIMED, "matrix products"]
    assert all(row["milliseconds"] > 0 for row in rows)


def test_the_file_holds_each_setting_once():
    rows = MEASUREMENTS.read()
    wanted = grid()
    assert len(rows) == len(wanted) + len(TIMED) + 1
    for setting, row in zip(wanted, rows, strict=False):
        assert row.items() >= setting.items()
