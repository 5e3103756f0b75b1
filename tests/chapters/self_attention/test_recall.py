"""The recall task starts at guessing, and repeats to the last bit."""

import math

import pytest
import torch

from chapters.self_attention.recall import train_recall


def test_recall_starts_at_the_loss_of_guessing_when_scaled():
    losses = train_recall(d_head=16, scale=0.25, seed=0, steps=1)
    assert losses[0] == pytest.approx(math.log(32), abs=0.6)


def test_a_measurement_repeats_to_the_last_bit():
    losses = train_recall(d_head=8, scale=0.3, seed=3, steps=5)
    torch.rand(7)
    assert train_recall(d_head=8, scale=0.3, seed=3, steps=5) == losses
