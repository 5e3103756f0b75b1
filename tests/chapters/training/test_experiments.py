"""The translator of the chapter on training, looked at while it learns."""

import pytest
import torch

from chapters.laboratory.translator import BATCH, numbers
from chapters.training import experiments as training
from chapters.training.experiments import (
    EVERY,
    MEASUREMENTS,
    SEEDS,
    SHOWN,
    STEPS,
    cross_weights,
    measured,
    new_trainer,
)
from transformer.data import TrainingBatches
from transformer.training import run


@pytest.fixture(scope="module")
def rows():
    return MEASUREMENTS.read()


def test_a_training_repeats_to_the_last_bit(monkeypatch):
    monkeypatch.setattr(training, "EVERY", 3)
    first = measured(seed=5, steps=6)
    torch.rand(3)
    assert measured(seed=5, steps=6) == first
    assert first["step"] == [3, 6]
    assert "weights" not in first


def test_the_recipe_is_that_of_the_shared_translator(first_losses):
    ours = new_trainer(seed=3, steps=100)
    batches = TrainingBatches(numbers().learned, batch_size=BATCH, seed=3)
    run(ours, batches, steps=4)
    assert ours.log.losses == first_losses(seed=3, steps=100, warm_up=50)


def test_the_shown_pair_was_never_learned():
    assert SHOWN.source not in {pair.source for pair in numbers().splits.train}


def test_cross_attention_has_a_row_for_each_word_and_the_end():
    maps = cross_weights(new_trainer(seed=3, steps=100).model.eval())
    assert [tuple(weights.shape) for weights in maps.values()] == [(4, 10, 8)] * 2


def test_the_file_holds_each_seed_once_and_the_weights_of_the_first(rows):
    assert [row["seed"] for row in rows] == [*SEEDS]
    assert ["weights" in row for row in rows] == [True, False, False]
    for row in rows:
        assert row["step"] == [*range(EVERY, STEPS + 1, EVERY)]


def test_the_stored_translators_have_learned(rows):
    for row in rows:
        assert row["exact"][0] < 0.1
        assert row["exact"][-1] >= 0.99
