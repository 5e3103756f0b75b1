"""The trainings of the chapter on rotary embedding, and the file of their results."""

from itertools import product

import pytest
import torch

from chapters.laboratory.language_model import LENGTH, language_model, nats
from chapters.rotary import experiments as rotary
from chapters.rotary.experiments import (
    BIN,
    LENGTHS,
    MEASUREMENTS,
    SCALINGS,
    SCHEMES,
    SEEDS,
    losses,
    measured,
    near_only,
    rounds,
    scaled,
    stop_slow_planes,
)
from transformer.layers import RotaryEmbedding, rotary_frequencies

SHORT = {"steps": 2, "warm_up": 1, "batch": 3}


@pytest.fixture
def model():
    return language_model(seed=3).eval()


@pytest.fixture
def short(monkeypatch):
    """Measure at two lengths only."""
    monkeypatch.setattr(rotary, "LENGTHS", (64, 80))


def first_rotary(model):
    return next(m for m in model.modules() if isinstance(m, RotaryEmbedding))


def test_planes_that_turn_once_in_training_are_kept(model):
    stop_slow_planes(model)
    expected = rotary_frequencies(16)
    expected[3:] = 0.0
    assert first_rotary(model).frequencies[8:].equal(expected)


def test_a_scaled_model_has_the_same_weights_and_slower_rotations(model):
    other = scaled(model, "linear", 4.0)
    for name, weight in model.state_dict().items():
        assert other.state_dict()[name].equal(weight)
    slower = first_rotary(other).frequencies
    assert slower.equal(first_rotary(model).frequencies / 4.0)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_scaling_by_one_changes_nothing(model, scaling):
    tokens = torch.arange(1, 20)[None]
    assert torch.equal(scaled(model, scaling, 1.0)(tokens), model(tokens))


@torch.no_grad()
def test_a_window_as_long_as_the_text_hides_nothing(model):
    tokens = torch.arange(1, 20)[None]
    wide = near_only(model, 19)(tokens)
    assert torch.allclose(wide, model(tokens), atol=1e-5)  # float32


@torch.no_grad()
def test_letters_before_the_windows_of_all_layers_do_not_count(model):
    tokens = torch.arange(1, 20)[None]
    changed = tokens.clone()
    changed[0, 0] = 21
    window = near_only(model, 5)
    same = torch.isclose(window(tokens), window(changed), atol=1e-5).all(dim=-1)[0]
    assert same[9:].all()  # two layers reach back 2 x 4 letters
    assert not same[:9].any()


def test_a_measurement_repeats(short):
    first = measured("rotary", 7, **SHORT)
    torch.rand(3)
    assert measured("rotary", 7, **SHORT) == first
    assert {*first} == {"nats", "by_position", "window", *SCALINGS}
    assert len(first["by_position"]) == 80 // BIN
    assert first["linear"][0] == first["nats"][0] == pytest.approx(first["window"][0])


@pytest.mark.parametrize("scheme", ["sinusoidal", "relative keys", "slow planes still"])
def test_each_scheme_can_be_measured(short, scheme):
    assert {*measured(scheme, 7, **SHORT)} == {"nats", "by_position"}


def test_losses_of_a_length_are_those_of_the_last_letters(model):
    assert rotary.long_losses(model)[0] == nats(model, length=LENGTH)


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    found = [(row["scheme"], row["seed"]) for row in rows]
    assert (
        found
        == list(product(SCHEMES, SEEDS))
        == [(setting["scheme"], setting["seed"]) for setting in rounds()]
    )


def test_results_have_a_row_for_each_seed():
    rows = MEASUREMENTS.read()
    assert losses(rows, "rotary", "window").shape == (len(SEEDS), len(LENGTHS))
    assert losses(rows, "sinusoidal", "by_position").shape == (3, LENGTHS[-1] // BIN)
