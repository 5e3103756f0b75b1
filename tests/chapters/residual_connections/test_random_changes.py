"""Layers that add something random: its size, the file, and the model of today."""

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import finish, open_model, streams_of
from chapters.residual_connections.random_changes import (
    LAYERS,
    MEASUREMENTS,
    SEEDS,
    at_random,
    measured,
)
from chapters.residual_connections.real_stream import two_texts

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def test_a_random_change_is_as_long_and_points_elsewhere(model):
    stream = streams_of(model, IDS)
    own, other = stream[1] - stream[0], at_random(stream, 1, seed=0) - stream[0]
    assert_close(other.norm(dim=-1), own.norm(dim=-1), rtol=1e-4, atol=1e-5)
    assert torch.cosine_similarity(own, other, dim=-1).abs().max() < 0.7
    assert not torch.allclose(other, at_random(stream, 1, seed=1) - stream[0])


def test_a_row_has_the_mean_rise_for_each_seed(model):
    stream = streams_of(model, IDS)
    row = measured(model, stream, IDS, 1)
    assert (row["layer"], len(row["rises"])) == (1, SEEDS)
    losses = finish(model, at_random(stream, 1, seed=2), [2], IDS)
    whole = finish(model, stream[0], [1, 2], IDS)
    assert row["rises"][2] == pytest.approx((losses - whole).mean().item(), abs=1e-5)


def test_the_file_has_each_layer_with_each_seed():
    rows = MEASUREMENTS.read()
    assert [row["layer"] for row in rows] == [*LAYERS]
    assert all(set(row) == {"layer", "rises"} for row in rows)
    assert all(len(row["rises"]) == SEEDS for row in rows)


def test_a_stored_row_is_what_the_model_says():
    model, tokenizer = open_model("smollm2-135m")
    ids, row = two_texts(tokenizer), MEASUREMENTS.read()[2]
    found = measured(model, streams_of(model, ids), ids, row["layer"])
    # a float32 model of 30 layers, on another machine
    assert found["rises"] == pytest.approx(row["rises"], abs=0.02)
