"""Translators with smoothed labels and plain ones, by a rate that falls or stays."""

import pytest
import torch

from chapters.laboratory.translator import BATCH, numbers
from chapters.training import recipes
from chapters.training.recipes import (
    AVERAGED,
    STUDY,
    Snapshots,
    measured,
    new_trainer,
)
from transformer.data import TrainingBatches
from transformer.training import TrainingError, run


def test_the_recipe_is_that_of_the_shared_translator(first_losses):
    ours = new_trainer("smoothed", seed=3, steps=100, learning_rate=5e-3)
    batches = TrainingBatches(numbers().learned, batch_size=BATCH, seed=3)
    run(ours, batches, steps=4)
    assert ours.log.losses == first_losses(seed=3, steps=100, warm_up=50)


def test_the_recipes_differ_in_the_loss_and_in_the_schedule():
    options = {"seed": 3, "steps": 100, "learning_rate": 1e-2}
    smoothed, plain, constant = (
        new_trainer(name, **options) for name in STUDY.variants
    )
    assert (smoothed.loss.smoothing, plain.loss.smoothing) == (0.1, 0.0)
    assert constant.loss.smoothing == 0.1
    ends = [trainer.schedule(100) for trainer in (smoothed, plain, constant)]
    assert ends == [0.0, 0.0, 1e-2]


def test_snapshots_are_averaged():
    snapshots = Snapshots(800)
    assert snapshots.when == [800, 780, 760, 740, 720]
    assert len(Snapshots(200).when) == AVERAGED
    snapshots.kept = [{"x": torch.tensor([1.0, 2.0])}, {"x": torch.tensor([3.0, 8.0])}]
    assert snapshots.average()["x"].tolist() == [2.0, 5.0]


def test_a_training_repeats_to_the_last_bit():
    first = measured("constant rate", 1e-2, 40, 5)
    torch.rand(3)
    assert measured("constant rate", 1e-2, 40, 5) == first
    assert first["averaged nats"] != first["nats"]


def test_each_recipe_chooses_by_the_loss_that_it_lowers():
    smoothed, plain = (measured(name, 1e-2, 40, 5) for name in ("smoothed", "plain"))
    near = {"abs": 0.05}  # other pairs
    assert smoothed["validation"] == pytest.approx(smoothed["smoothed"], **near)
    assert plain["validation"] == pytest.approx(plain["nats"], **near)
    assert plain["smoothed"] - plain["nats"] > 0.15


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    def diverge(*_, **__):
        raise TrainingError("the loss is not finite")

    monkeypatch.setattr(recipes, "run", diverge)
    assert measured("plain", 1e-2, 40, 5) == {"validation": float("inf")}
