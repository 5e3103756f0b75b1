"""A translator that sees few pairs again and again."""

import torch

from chapters.training import few_pairs
from chapters.training.few_pairs import LOOKS, STUDY, measured
from transformer.training import TrainingError


def test_a_training_repeats_to_the_last_bit():
    first = measured("dropout 0.2", 1e-2, 6, 5)
    torch.rand(3)
    assert measured("dropout 0.2", 1e-2, 6, 5) == first
    assert len(first["learned"]) == len(first["held_out"]) == LOOKS
    assert first["nats"] == first["held_out"][-1] != first["validation"]


def test_dropout_changes_the_training():
    options = {"learning_rate": 1e-2, "steps": 6, "seed": 5}
    with_it, without = (measured(v, **options) for v in ("dropout 0.2", "no dropout"))
    assert with_it["learned"] != without["learned"]


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    def diverge(*_, **__):
        raise TrainingError("the loss is not finite")

    monkeypatch.setattr(few_pairs, "run", diverge)
    assert measured("no dropout", 1e-2, 6, 5) == {"validation": float("inf")}


def test_the_study_is_complete():
    assert list(STUDY.pending(STUDY.rows)) == []
