"""Trained models that are shown keys at chosen distances, and the file of results."""

import pytest
import torch

from chapters.laboratory import far_keys, positions
from chapters.laboratory.far_keys import (
    MEASUREMENTS,
    STARTS,
    STEPS,
    WINDOWS,
    distances,
    measured,
    settings,
)
from chapters.laboratory.language_model import LENGTH, language_model
from chapters.laboratory.positions import STUDY, ChosenDistances, Windowed


@pytest.fixture
def model():
    return language_model(seed=3).double().eval()


def letters(count, seed=1):
    generator = torch.Generator("cpu").manual_seed(seed)
    return torch.randint(1, 22, (1, count), generator=generator)


def test_distances_are_those_of_all_ranges():
    seen = distances(range(2), range(5, 7))
    assert seen.nonzero().flatten().tolist() == [0, 1, 5, 6]


@torch.no_grad()
def test_near_distances_are_a_window(model):
    tokens = letters(29)
    near = ChosenDistances(model, distances(range(5)))(tokens)
    torch.testing.assert_close(near, Windowed(model, window=5)(tokens))


@torch.no_grad()
def test_letters_between_the_ranges_do_not_count(model):
    shown = ChosenDistances(model, distances(range(3), range(20, 23)))
    tokens = letters(29)
    changed = tokens.clone()
    # Of the last query: two layers see 0 to 4, 20 to 24 and more than 39 back.
    changed[0, 28 - 15] = 22 - changed[0, 28 - 15]
    torch.testing.assert_close(shown(tokens)[:, -1], shown(changed)[:, -1])
    changed[0, 28 - 21] = 22 - changed[0, 28 - 21]
    assert not torch.allclose(shown(tokens)[:, -1], shown(changed)[:, -1])


def test_a_measurement_has_a_loss_for_each_window_and_start(monkeypatch, model):
    monkeypatch.setattr(positions, "train", lambda *_, **__: (model.float(), 2.5))
    monkeypatch.setattr(far_keys, "last_nats", lambda _, *ranges: ranges)
    row = measured("rotary", 0)
    assert [len(seen) for (seen,) in row["windows"]] == list(WINDOWS)
    assert all(len(near) + len(far) == LENGTH for near, far in row["moved"])
    assert [far[0] for _, far in row["moved"]] == list(STARTS)


def test_the_file_holds_each_training_once_and_repeats_those_of_the_study():
    rows = MEASUREMENTS.read()
    assert [{"variant": r["variant"], "seed": r["seed"]} for r in rows] == settings()
    for row in rows:
        (found,) = (
            training["windowed"]
            for training in STUDY.trainings(row["variant"], STEPS)
            if training["seed"] == row["seed"]
        )
        assert row["windows"][-1] == pytest.approx(found, abs=1e-4)
        assert row["moved"][0] == row["windows"][-1]
