"""The digits are dealt out once for all, and small encoders learn from them."""

import pytest
import torch
from torch.testing import assert_close

from chapters.beyond_words.baselines import NAMES, fitted
from chapters.beyond_words.digits import CHOSEN, LEARNED, TESTED, digits
from chapters.beyond_words.encoders import (
    SIZES,
    judged,
    learn,
    measured,
    moved,
    new_convolutions,
    new_encoder,
    rearranged,
)
from chapters.laboratory.fit import same_numbers
from transformer.layers import patchify
from transformer.models import count_parameters


def test_every_digit_is_in_one_part_and_no_other():
    split = digits()
    assert [len(part.labels) for part in split] == [LEARNED, CHOSEN, TESTED]
    images = torch.cat([part.images for part in split]).flatten(start_dim=1)
    assert len({tuple(row) for row in images.tolist()}) == len(images) == 1797
    assert (images.min(), images.max()) == (0, 1)
    assert torch.cat([part.labels for part in split]).bincount().tolist() == [
        *(178, 182, 177, 183, 181, 182, 181, 179, 174, 180)
    ]


def test_the_parts_are_the_same_each_time_and_others_for_another_seed():
    first = digits().tested.labels
    torch.rand(7)
    assert torch.equal(digits.__wrapped__().tested.labels, first)
    assert not torch.equal(digits(1).tested.labels, first)


def test_the_first_digits_are_the_first():
    part = digits().learned
    assert torch.equal(part.first(5).images, part.images[:5])


def test_an_encoder_gets_better_and_repeats_to_the_last_bit():
    split, found = digits(), []
    for _ in range(2):
        with same_numbers(3):
            model = new_encoder()
            losses = learn(model, split.learned, steps=25, learning_rate=1e-2)
        found.append((losses, judged(model, split.chooses)))
        torch.rand(5)
    assert found[0] == found[1]
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])
    assert not model.training


def test_a_network_of_convolutions_has_about_as_many_parameters():
    counts = [count_parameters(new()) for new in (new_convolutions, new_encoder)]
    assert counts == [23_946, 26_538]
    assert new_convolutions()(torch.zeros(3, 1, 8, 8)).shape == (3, 10)


def test_what_is_shown_may_be_changed():
    seen = []

    def change(images):
        seen.append(images)
        return images

    learn(new_encoder(), digits().learned, steps=2, learning_rate=1e-3, change=change)
    assert [len(images) for images in seen] == [32, 32]


def test_a_judge_counts_what_is_right():
    part = digits().tested.first(10)

    class Knows(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.one = torch.nn.Parameter(torch.ones(1))

        def forward(self, images):
            scores = torch.nn.functional.one_hot(part.labels, 10) * self.one
            scores[:4] = 0.1 * self.one
            scores[:4, (part.labels[:4] + 1) % 10] = 5.0
            return scores

    _, right = judged(Knows(), part)
    assert right == pytest.approx(0.6)


def test_moved_digits_stay_near_where_they_were():
    images = digits().tested.images[:50]
    with same_numbers(0):
        found = moved(images)
    assert found.shape == images.shape
    assert 0.01 < (found - images).abs().mean() < 0.2
    assert not torch.equal(found[0] - images[0], found[1] - images[1])


def test_what_it_has_learned_is_judged_beside_what_it_has_not():
    learned, _, tested = digits()
    few = learned.first(20)
    found = measured(new_encoder, few, seed=0, steps=60, learning_rate=1e-2)
    assert found["known"] == 1.0
    assert found["right"] < 0.7
    with same_numbers(0):
        model = new_encoder()
        learn(model, few, steps=60, learning_rate=1e-2)
    assert judged(model, tested) == (found["loss"], found["right"])


def test_patches_in_another_order_are_the_same_patches():
    images = digits().tested.images[:3]
    order = torch.randperm(16)
    found = rearranged(order)(images)
    assert torch.equal(patchify(found, 2), patchify(images, 2)[:, order])
    assert_close(rearranged(order.argsort())(found), images)


def test_older_ways_are_as_good_as_they_were():
    found = {name: shares for name, *shares in fitted(digits(), 300)}
    assert {*found} == {*NAMES}
    assert all(0.9 < tested < learned for learned, tested in found.values())


def test_the_encoder_of_the_page_has_the_sizes_of_the_package():
    assert new_encoder().config.patch_grid == (4, 4)
    assert new_encoder(position="none").embedding.positions is None
    assert SIZES["vocab_size"] == 10
