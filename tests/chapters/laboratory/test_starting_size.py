"""Feed-forward layers that add as much as one another when training starts."""

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.starting_size import SIZE, match_sizes, output_size


def model(**choices):
    return language_model(seed=5, **choices)


@facts("activation", ["relu", "squared_relu", "sigmoid"])
def test_each_layer_starts_at_the_same_size(activation):
    fresh = model(activation=activation)
    match_sizes(fresh)
    for block in fresh.decoder.layers:
        assert output_size(block.feed_forward, 64) == pytest.approx(SIZE)


def test_the_size_is_a_root_mean_square_and_the_same_at_every_call():
    layer = nn.Linear(7, 5, bias=False).double()
    drawn = torch.randn(100_000, 7, generator=torch.Generator("cpu").manual_seed(1))
    wanted = layer(drawn.double()).square().mean().sqrt().item()
    assert output_size(layer, 7) == output_size(layer, 7)
    assert output_size(layer, 7) == pytest.approx(wanted, rel=0.02)


def test_nothing_but_the_last_matrices_gets_a_factor():
    before, after = model().state_dict(), model(change=match_sizes).state_dict()
    for name, weight in before.items():
        down = name.endswith("feed_forward.down_projection.weight")
        factors = after[name] / weight
        if down:
            torch.testing.assert_close(factors, factors[0, 0].expand_as(factors))
        assert after[name].equal(weight) != down
