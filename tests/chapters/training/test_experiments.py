"""The trainings of the chapter on training, and the file of their results."""

import pytest
import torch

from chapters.laboratory.translator import BATCH, train_translator
from chapters.training import experiments as training
from chapters.training.experiments import (
    AVERAGED,
    MEASUREMENTS,
    SHOWN,
    Snapshots,
    cross_weights,
    grid,
    measured,
    new_trainer,
    numbers,
    train_few,
)
from transformer.data import TrainingBatches
from transformer.training import run


def test_a_training_repeats_to_the_last_bit(monkeypatch):
    monkeypatch.setattr(training, "EVERY", 3)
    first = measured("few", dropout=0.2, seed=5, steps=6)
    torch.rand(3)
    assert measured("few", dropout=0.2, seed=5, steps=6) == first
    assert len(first["learned"]) == len(first["held_out"]) == 2


def test_dropout_changes_the_training(monkeypatch):
    monkeypatch.setattr(training, "EVERY", 3)
    with_it, without = (train_few(p, seed=5, steps=3)["learned"] for p in (0.2, 0.0))
    assert with_it != without


def test_the_recipe_is_that_of_the_shared_translator():
    ours = new_trainer(seed=3, steps=100)
    batches = TrainingBatches(numbers().learned, batch_size=BATCH, seed=3)
    run(ours, batches, steps=4)
    theirs = train_translator(seed=3, steps=100, warm_up=50).losses[:4]
    assert ours.log.losses == theirs


def test_snapshots_are_averaged():
    trainer = new_trainer(seed=3, steps=100)
    snapshots = Snapshots(20 * AVERAGED)
    assert snapshots.when == [100, 80, 60, 40, 20]
    snapshots.kept = [{"x": torch.tensor([1.0, 2.0])}, {"x": torch.tensor([3.0, 8.0])}]
    assert snapshots.average()["x"].tolist() == [2.0, 5.0]
    assert trainer.steps == 0


def test_the_shown_pair_was_never_learned():
    assert SHOWN.source not in {pair.source for pair in numbers().splits.train}


def test_cross_attention_has_a_row_for_each_word_and_the_end():
    maps = cross_weights(new_trainer(seed=3, steps=100).model.eval())
    assert [tuple(weights.shape) for weights in maps.values()] == [(4, 10, 8)] * 2


def test_the_file_holds_each_setting_once():
    rows = MEASUREMENTS.read()
    assert len(rows) == len(grid())
    for setting, row in zip(grid(), rows, strict=True):
        assert row.items() >= setting.items()
    assert ["weights" in row for row in rows].count(True) == 1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_stored_translators_have_learned(seed):
    rows = MEASUREMENTS.read()
    (row,) = [
        row for row in rows if row.get("recipe") == "smoothed" and row["seed"] == seed
    ]
    assert row["last"][0] >= 0.99
    assert row["exact"][0] < 0.1
