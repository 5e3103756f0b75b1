"""The two studies of encoders: what they train, and that their files are complete."""

import math

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.beyond_words import few, positions
from chapters.beyond_words.digits import digits

SETTING = {"learning_rate": 1e-2, "steps": 3, "seed": 3}


@pytest.mark.parametrize("study", [few, positions], ids=["few", "positions"])
def test_a_measurement_repeats_to_the_last_bit(study):
    variant = [*study.KINDS][-1]
    found = study.measured(variant, **SETTING)
    torch.rand(7)
    assert study.measured(variant, **SETTING) == found
    assert {*found, "seconds", "variant", *SETTING} == {*study.STUDY.rows[0]}


@facts("variant", [*positions.KINDS])
def test_a_fresh_encoder_guesses(variant):
    found = positions.measured(variant, **SETTING | {"steps": 1})
    assert found["loss"] == pytest.approx(math.log(10), abs=1.0)
    assert found["right"] < 0.4


def test_all_images_are_put_out_of_order_alike():
    part = digits().tested.first(2)
    mixed = positions.out_of_order(part)
    again = positions.out_of_order(part)
    assert torch.equal(mixed.images, again.images)
    assert not torch.equal(mixed.images, part.images)
    assert torch.equal(mixed.labels, part.labels)


@pytest.mark.parametrize("study", [few, positions], ids=["few", "positions"])
def test_the_study_is_complete(study):
    assert list(study.STUDY.pending(study.STUDY.rows)) == []
