"""The tasks on order measure what they say, and repeat to the last bit."""

import math

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.fit import same_numbers
from chapters.sinusoidal import one_layer
from chapters.sinusoidal.one_layer import (
    BACK,
    FAST,
    LENGTHS,
    TEST_LENGTHS,
    VARIANTS,
    OneLayer,
    accuracy_of_frequency_rule,
    draw_sequences,
    measured,
    right_answers,
    train,
)
from transformer.data import IGNORED
from transformer.layers import sinusoidal_frequencies


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


@facts("position", ["sinusoidal", "fast", "learned"])
@torch.no_grad()
def test_what_is_added_starts_at_the_size_of_the_sinusoids(position):
    with same_numbers(3):
        model = OneLayer(position, causal=False)
        tokens = model.tokens(torch.arange(16))
        added = model.position(torch.zeros(1, 32, 64))
    assert tokens.square().mean().sqrt() == pytest.approx(1, abs=0.1)
    assert added.square().mean().sqrt() == pytest.approx(0.5**0.5, abs=0.03)


def test_every_fast_hand_goes_around_in_training_and_a_slow_one_does_not():
    turns = [math.tau / sinusoidal_frequencies(64, base=b)[-1] for b in (FAST, 1e4)]
    assert turns[0] < LENGTHS["look back"] < turns[1]


@facts("task", ["look back", "reverse"])
def test_the_frequency_rule_names_the_most_frequent_other_symbol(task):
    with same_numbers(0):
        tokens = draw_sequences(TEST_LENGTHS[task])
    answers = right_answers(task, tokens)
    for position, share in enumerate(accuracy_of_frequency_rule(task)):
        hits = 0
        for row, answer in zip(tokens.tolist(), answers[:, position], strict=True):
            others = row[:position]
            others += row[position + 1 :] if task == "reverse" else []
            best = max(range(16), key=others.count)
            hits += best == answer
        expected = hits / len(tokens)
        unasked = answers[0, position] == IGNORED
        assert math.isnan(share) if unasked else share == pytest.approx(expected)


@facts("variant", VARIANTS)
def test_a_measurement_repeats_to_the_last_bit(variant):
    first = measured(variant, 1e-2, 2, 3)
    torch.rand(7)
    assert measured(variant, 1e-2, 2, 3) == first
    task, _ = VARIANTS[variant]
    asked = TEST_LENGTHS[task] - (BACK if task == "look back" else 0)
    assert len(first["shares"]) == asked
    assert ("later" in first) == (task == "look back")


def test_trained_and_later_positions_are_counted_apart(monkeypatch):
    shares = [math.nan] * BACK + [0.5] * (32 - BACK) + [0.25] * 64
    monkeypatch.setattr(one_layer, "share_right", lambda *_: shares)
    row = measured("look back, learned", 1e-2, 1, 3)
    assert (row["seen"], row["later"]) == (0.5, 0.25)
    assert row["shares"] == shares[BACK:]


def test_a_rate_is_chosen_at_the_trained_length():
    options = {"seed": 3, "steps": 1, "learning_rate": 1e-2}
    _, chooses, tests = train("look back", "none", **options)
    assert chooses.size(1) == LENGTHS["look back"] < tests.size(1)
    assert not torch.equal(chooses, tests[:, : chooses.size(1)])
