"""A translator that sees few pairs again and again."""

import pytest
import torch

from chapters.training import few_pairs
from chapters.training.few_pairs import LOOKS, measured
from transformer.training import TrainingError


@pytest.fixture(scope="module")
def first():
    """What is measured with dropout, for all tests that need no more than that."""
    return measured("dropout 0.2", 1e-2, 6, 5)


def test_a_training_repeats_to_the_last_bit(first):
    torch.rand(3)
    assert measured("dropout 0.2", 1e-2, 6, 5) == first
    assert len(first["learned"]) == len(first["held_out"]) == LOOKS
    assert first["nats"] == first["held_out"][-1] != first["validation"]


def test_dropout_changes_the_training(first):
    assert measured("no dropout", 1e-2, 6, 5)["learned"] != first["learned"]


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    def diverge(*_, **__):
        raise TrainingError("the loss is not finite")

    monkeypatch.setattr(few_pairs, "run", diverge)
    assert measured("no dropout", 1e-2, 6, 5) == {"validation": float("inf")}
