"""The studies of encoders: what they train begins with a guess."""

import math

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.beyond_words import few, patch_sizes, positions
from chapters.beyond_words.digits import digits

SETTING = {"learning_rate": 1e-2, "steps": 3, "seed": 3}


@facts(
    "study, variant",
    [
        (study, variant)
        for study in (positions, patch_sizes, few)
        for variant in study.STUDY.variants
    ],
)
def test_a_fresh_model_guesses(study, variant):
    found = study.measured(variant, **SETTING | {"steps": 1})
    assert found["loss"] == pytest.approx(math.log(10), abs=1.0)
    assert found["right"] < 0.4


def test_encoders_of_few_digits_read_coarse_patches():
    made = [few.WAYS[how][0]() for how in ("", ", moved")]
    assert [encoder.config.patch_size for encoder in made] == [4, 4]


def test_all_images_are_put_out_of_order_alike():
    part = digits().tested.first(2)
    mixed = positions.out_of_order(part)
    again = positions.out_of_order(part)
    assert torch.equal(mixed.images, again.images)
    assert not torch.equal(mixed.images, part.images)
    assert torch.equal(mixed.labels, part.labels)
