"""The first step of a training: the file and a measurement of today."""

import pytest

from chapters.norm_placement.first_move import MEASUREMENTS, VARIANTS, measured


def test_the_file_holds_each_variant():
    assert [row["variant"] for row in MEASUREMENTS.read()] == [*VARIANTS]


def test_a_variant_moves_as_in_the_file():
    first, found = MEASUREMENTS.read()[0], measured(VARIANTS[0])
    assert found["moved"] == pytest.approx(first["moved"], rel=1e-3)
