"""The fresh stacks that the explorer of norm placement shows."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.norm_placement.fresh_stacks import send_signal
from chapters.norm_placement.stack_depths import (
    DEEPEST,
    DEPTHS,
    MEASUREMENTS,
    MEASURES,
    kept,
    measured,
    settings,
)


@pytest.fixture(scope="module")
def rows():
    return MEASUREMENTS.read()


def test_the_file_holds_each_stack_once(rows):
    assert [{k: row[k] for k in ("placement", "layers")} for row in rows] == settings()
    for placement, deepest in DEEPEST.items():
        depths = [row["layers"] for row in rows if row["placement"] == placement]
        assert depths == [depth for depth in DEPTHS if depth <= deepest]


def test_each_row_has_a_number_for_each_layer(rows):
    for row in rows:
        for name in MEASURES:
            count = row["layers"] + (name != "gradient")  # the input has no gradient
            assert [len(numbers) for numbers in row[name]] == [count] * 3
            for mean, least, most in zip(*row[name], strict=True):
                assert least <= mean <= most


@facts("placement", ["pre", "post", "none"])
@facts("layers", [2, 6])
def test_the_stored_numbers_are_what_the_package_measures_again(
    rows, placement, layers
):
    (row,) = [r for r in rows if (r["placement"], r["layers"]) == (placement, layers)]
    again = measured(placement=placement, layers=layers)
    for name in MEASURES:
        for stored, computed in zip(row[name], again[name], strict=True):
            # Three digits are kept; the last may round either way elsewhere.
            assert computed == pytest.approx(stored, rel=2e-2, abs=2e-3)


def test_the_mean_is_over_the_seeds():
    found = measured(placement="pre", layers=2, seeds=(0, 1))
    runs = [send_signal("pre", layers=2, seed=seed).variances() for seed in (0, 1)]
    mean = torch.stack(runs).mean(dim=0).tolist()
    assert found["variance"][0] == pytest.approx(mean, rel=5e-3)
    assert found["variance"][1] != found["variance"][2]


def test_numbers_keep_three_digits():
    numbers = torch.tensor([1.23456, 1234.5, 1e-9], dtype=torch.float64)
    assert kept(numbers) == [1.23, 1230.0, 0.0]
