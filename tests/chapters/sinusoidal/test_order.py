"""The tasks on order measure what they say, and repeat to the last bit."""

import math

import pytest
import torch

from chapters.laboratory.fit import same_numbers
from chapters.sinusoidal.order import (
    BACK,
    OneLayer,
    accuracy_by_position,
    accuracy_of_frequency_rule,
    draw_sequences,
    right_answers,
)
from transformer.data import IGNORED


def test_the_right_answers_by_hand():
    tokens = torch.tensor([[5, 2, 9, 4]])
    assert right_answers("reverse", tokens).tolist() == [[4, 9, 2, 5]]
    assert right_answers("smallest", tokens).tolist() == [[2, 2, 2, 2]]
    assert right_answers("look back", tokens).tolist() == [[IGNORED] * BACK + [5]]


def test_the_causal_layer_cannot_see_ahead():
    model = OneLayer("sinusoidal", causal=True)
    tokens = torch.tensor([[1, 2, 3, 4]])
    changed = torch.tensor([[1, 2, 3, 9]])
    assert torch.equal(model(tokens)[:, :3], model(changed)[:, :3])


def test_positions_without_a_question_have_no_share():
    shares = accuracy_by_position("look back", "none", seed=0, steps=1, test_length=9)
    assert [math.isnan(share) for share in shares] == [True] * BACK + [False] * 6


@pytest.mark.parametrize("task", ["look back", "reverse"])
def test_the_frequency_rule_names_the_most_frequent_other_symbol(task):
    with same_numbers(0):
        tokens = draw_sequences(task, 9)
    answers = right_answers(task, tokens)
    for position, share in enumerate(accuracy_of_frequency_rule(task, test_length=9)):
        hits = 0
        for row, answer in zip(tokens.tolist(), answers[:, position], strict=True):
            others = row[:position]
            others += row[position + 1 :] if task == "reverse" else []
            best = max(range(16), key=others.count)
            hits += best == answer
        expected = hits / len(tokens)
        unasked = answers[0, position] == IGNORED
        assert math.isnan(share) if unasked else share == pytest.approx(expected)


def test_a_measurement_repeats_to_the_last_bit():
    options = {"seed": 3, "steps": 5}
    first = accuracy_by_position("reverse", "sinusoidal", **options)
    torch.rand(7)
    assert accuracy_by_position("reverse", "sinusoidal", **options) == first
