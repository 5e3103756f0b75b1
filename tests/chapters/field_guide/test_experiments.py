"""The trainings of the field guide to positions, and the file of their results."""

import pytest
import torch

from chapters.field_guide.experiments import (
    BLOCK,
    LENGTHS,
    SCHEMES,
    LastRowReused,
    Windowed,
    measured,
    parameters,
    probe_errors,
    read_results,
    settings,
    trained,
)
from chapters.laboratory.language_model import LENGTH, language_model

RELATIVE = ["none", "rotary", "alibi", "relative", "relative_keys", "rotary + alibi"]


def fresh(scheme, seed=5):
    return language_model(seed=seed, **SCHEMES[scheme]).double().eval()


def letters(count, seed):
    generator = torch.Generator("cpu").manual_seed(seed)
    return torch.randint(1, 22, (1, count), generator=generator)


def test_positions_beyond_the_table_get_its_last_row():
    layer = LastRowReused(torch.arange(6.0).view(3, 2))
    added = layer(torch.zeros(1, 5, 2))[0]
    assert added.tolist() == [[0, 1], [2, 3], [4, 5], [4, 5], [4, 5]]
    assert layer(torch.zeros(1, 1, 2), start=7)[0, 0].tolist() == [4, 5]


def test_a_short_training_repeats_to_the_last_bit_and_reads_any_length():
    first, again = (trained("learned", seed=3, steps=8) for _ in range(2))
    tokens = letters(LENGTH + 7, seed=1)
    assert torch.equal(first(tokens), again(tokens))
    assert parameters(first) == parameters(fresh("none")) + LENGTH * 64


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_window_as_long_as_the_text_changes_nothing(scheme):
    model, tokens = fresh(scheme), letters(29, seed=2)
    with torch.no_grad():
        same = Windowed(model, window=29)(tokens)
        torch.testing.assert_close(same, model(tokens), rtol=0, atol=1e-12)


@pytest.mark.parametrize("scheme", RELATIVE)
def test_a_windowed_relative_model_ignores_where_the_text_stands(scheme):
    model, text = Windowed(fresh(scheme), window=5), letters(13, seed=2)
    after = torch.cat((letters(17, seed=3), text), dim=1)
    with torch.no_grad():  # two layers see 2 (5 - 1) + 1 = 9 letters
        near = model(text)[:, 8:] - model(after)[:, 25:]
    assert near.abs().max() < 1e-11


def test_a_probe_reads_the_position_where_it_was_added():
    errors = probe_errors(fresh("sinusoidal"))
    assert len(errors) == 3
    assert errors[0] < 1 < 10 < probe_errors(fresh("none"))[0]


def test_the_file_holds_every_scheme_and_seed_once():
    rows = read_results()
    assert [(row["scheme"], row["seed"]) for row in rows] == [
        (setting["scheme"], setting["seed"]) for setting in settings()
    ]
    assert all(len(row["curve"]) == max(LENGTHS) // BLOCK for row in rows)
    last = LENGTH // BLOCK
    for row in rows:
        assert sum(row["curve"][-last:]) / last == pytest.approx(row["512"], abs=1e-3)


def test_a_measurement_has_the_fields_of_the_file(monkeypatch):
    monkeypatch.setattr(
        "chapters.field_guide.experiments.trained", lambda scheme, seed: fresh(scheme)
    )
    row = measured("alibi", 0)
    stored = read_results()[0]
    assert {"scheme", "seed", *row} == set(stored)
