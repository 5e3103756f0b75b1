"""The biases that were learned: the file and a training of today."""

import json

import pytest

from chapters.field_guide.learned_bias import MEASUREMENTS, SEED, STEPS, measured
from chapters.laboratory.positions import STUDY


def test_the_file_holds_each_head_and_the_loss_of_the_study():
    rows = MEASUREMENTS.read()
    assert [row["head"] for row in rows] == [1, 2, 3, 4]
    assert len({len(row["biases"]) for row in rows}) == 1
    stored = json.loads(MEASUREMENTS.path.read_text("utf-8"))["nats"]
    studied = STUDY.results("relative", STEPS, "nats")[SEED]
    assert stored == pytest.approx(studied, abs=0.05)


def test_a_training_learns_the_biases_of_the_file_again():
    for row, found in zip(MEASUREMENTS.read(), measured()[0], strict=True):
        assert found["biases"] == pytest.approx(row["biases"], abs=0.2)
