"""What the hidden units of a small language model do, and the file of the results."""

from functools import partial

import pytest
import torch
from torch.testing import assert_close

from chapters.feed_forward import hidden_units as units
from chapters.feed_forward.hidden_units import (
    MEASUREMENTS,
    STEPS,
    USUAL,
    depict_units,
    described,
    measured,
)
from chapters.feed_forward.widths import STUDY
from chapters.laboratory.language_model import (
    LENGTH,
    language_model,
    train_for_study,
)


@pytest.fixture
def rows():
    return MEASUREMENTS.read()


def test_the_file_tells_of_units_for_each_seed_and_depicts_those_of_one(rows):
    assert [row["seed"] for row in rows] == [*STUDY.seeds]
    assert ["portraits" in row for row in rows] == [True, False, False, False]


def test_the_models_are_those_of_the_study(rows):
    counted = [row["nats"] for row in rows if row["seed"] in STUDY.counted_seeds]
    assert tuple(counted) == STUDY.results(USUAL, STEPS, "nats")


def test_a_measurement_repeats_and_has_the_fields_of_the_file(monkeypatch, rows):
    short = partial(train_for_study, batch=7)
    monkeypatch.setattr(units, "train_for_study", short)
    first = measured(5, steps=8)
    torch.rand(3)
    assert measured(5, steps=8) == first
    assert {"seed", *first} == {*rows[1]}


def test_hidden_units_are_what_the_second_matrix_reads():
    model = language_model(seed=2).eval()
    tokens = torch.arange(1, 20).view(1, -1)
    hidden = units.hidden_units(model, tokens)
    assert [tuple(h.shape) for h in hidden] == [(1, 19, 256)] * 2
    assert all((h >= 0).all() for h in hidden)
    kept = []
    last = model.decoder.layers[-1].feed_forward
    last.register_forward_hook(lambda module, inputs, output: kept.append(output))
    model(tokens)
    assert_close(last.down_projection(hidden[-1].float()), kept[0])


def test_the_promoted_letters_are_those_of_the_value_alone():
    model = language_model(seed=3).eval()
    scores = units.promoted(model, 1)
    value = model.decoder.layers[1].feed_forward.down_projection.weight[:, 11]
    alone = model.head(model.decoder.norm(value[None, None]))[0, 0].double()
    ratio = (alone / scores[11]).detach()
    assert scores.shape == (256, 22)
    assert ratio.min() > 0
    assert_close(ratio, ratio.mean().expand(22), rtol=1e-3, atol=0.0)


def test_the_favorite_ending_is_counted():
    endings = torch.tensor([[1, 2], [1, 3], [1, 2], [4, 2]])
    assert units.common_share(endings) == 0.75


def test_a_unit_that_answers_to_one_letter_is_described_as_such():
    drawn = units.readings()
    letter, following = drawn[:, :-1], drawn[:, 1:]
    hidden = (letter == 1).double()[..., None] * torch.tensor([1.0, 0.0])
    noise = torch.rand(hidden.shape, dtype=torch.float64) * 1e-3
    hidden = hidden + noise * torch.tensor([1.0, 0.0])
    scores = torch.zeros(2, 22, dtype=torch.float64)
    scores[:, 4] = 1.0
    found = units.describe_layer(hidden, scores, drawn)
    assert found["letter"] == 1.0
    assert found["dead"] == 0.5
    place = following[:, units.START :]
    assert found["by_chance"] == pytest.approx((place == 4).double().mean().item())


def test_portraits_show_each_promoted_letter_once():
    found = depict_units(language_model(seed=1).eval())["portraits"][0]
    letters = [portrait["promotes"] for portrait in found]
    assert len(letters) == len({*letters})
    assert all(len(portrait["contexts"]) == 6 for portrait in found)
    hits = [portrait["hits"] for portrait in found]
    assert hits == sorted(hits, reverse=True)


def test_a_description_has_a_part_for_each_layer():
    assert len(described(language_model(seed=1).eval())) == 2
    assert units.readings().shape == (256, LENGTH + 1)


def test_random_contexts_end_alike_as_often_as_the_letters_allow():
    one, two = units.endings_by_chance(units=512)
    last = units.readings()[:, units.START : -1].flatten()
    shares = torch.bincount(last).double() / len(last)
    assert shares.max() < one < shares.max() + 0.1  # the luckiest of all letters
    assert two < one
    assert units.endings_by_chance(units=512) == (one, two)
