"""The noise of gradients: the file and a measurement of today."""

import pytest

from chapters.training.noise import MEASUREMENTS, STEPS, measured


def test_the_file_holds_each_measurement():
    assert [row["steps"] for row in MEASUREMENTS.read()] == [*STEPS]


def test_a_fresh_model_is_measured_as_in_the_file():
    [found] = measured(STEPS[:1])
    assert found == pytest.approx(MEASUREMENTS.read()[0], rel=1e-4)
