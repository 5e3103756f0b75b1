"""A few directions that norms forget: the file, and the model of today."""

import pytest
import torch

from chapters.laboratory.real_model import open_model
from chapters.rms_norm.some_directions import (
    COUNT,
    FIRST,
    MEASUREMENTS,
    MORE,
    directions,
    rises,
    stored,
)


def test_directions_leave_out_what_their_names_say():
    found = directions(600)
    assert set(found) == {*FIRST, *MORE}
    for name, feature in (
        ("the mean of all but 507", 507),
        ("the mean of all but 100", 100),
        ("random, all but 507", 507),
    ):
        assert not found[name][:, feature].any()
        assert (found[name] != 0).sum(dim=1).tolist() == [599] * len(found[name])
    kept = found["a random direction"] - found["random, all but 507"]
    assert torch.equal(kept.nonzero()[:, 1], torch.full((COUNT,), 507))


def test_the_file_has_a_rise_for_each_direction():
    assert [row["without"] for row in MEASUREMENTS.read()] == [*FIRST, *MORE]
    found = stored((*FIRST, *MORE))
    counts = {name: len(rows) for name, rows in directions().items()}
    assert {name: len(part) for name, part in found.items()} == counts


def test_stored_rises_are_those_of_the_model():
    names = ("feature 507", "the mean of all but 100")
    found = rises(open_model("smollm2-135m"), names)
    for name, part in stored(names).items():
        # a float32 model of 30 layers, on another machine
        assert found[name] == pytest.approx(part, abs=0.02)
