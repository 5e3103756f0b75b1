"""Memories of some width start at guessing, repeat, and their study is complete."""

import math

import pytest
import torch

from chapters.laboratory.fit import same_numbers
from chapters.without_softmax.widths import (
    PAIRS,
    RULES,
    VOCAB,
    LookUp,
    draw_pairs,
    measured,
)

SETTING = {"learning_rate": 1e-2, "steps": 5, "seed": 3}


@pytest.mark.parametrize("rule", RULES)
def test_an_untrained_memory_guesses(rule):
    found = measured(f"{rule}, 8", **SETTING | {"steps": 1})
    assert found["loss"] == pytest.approx(math.log(VOCAB), abs=1.0)
    assert found["right"] < 0.1


def test_keys_are_distinct_and_the_answer_stands_beside_the_key():
    with same_numbers(0):
        (keys, values, asked), answers = draw_pairs(11)
    assert all(len({*row}) == PAIRS for row in keys.tolist())
    place = (keys == asked[:, None]).int().argmax(dim=1)
    assert values.gather(1, place[:, None])[:, 0].tolist() == answers.tolist()


def test_the_delta_rule_finds_the_last_pair_exactly():
    with same_numbers(0):
        model = LookUp("delta rule", 8)
        key, value = torch.randn(2, 5, 8), torch.randn(2, 5, 3)
    found = model.read(key[:, -1:], key, value)
    torch.testing.assert_close(found, value[:, -1:], rtol=1e-9, atol=1e-9)


def test_at_a_tenth_of_the_rate_a_pair_is_written_by_a_tenth():
    with same_numbers(0):
        model = LookUp("delta rule at 0.1", 8)
        key, value = torch.randn(2, 1, 8), torch.randn(2, 1, 3)
    found = model.read(key, key, value)
    torch.testing.assert_close(found, 0.1 * value, rtol=1e-9, atol=1e-9)
