"""The measurements measure what they say, and repeat to the last bit."""

import math

import pytest
import torch
from torch import nn

from chapters.laboratory.fit import IGNORED, fit, same_numbers
from chapters.self_attention.recall import train_recall
from chapters.sinusoidal.order import (
    BACK,
    OneLayer,
    accuracy_by_position,
    accuracy_of_frequency_rule,
    draw_sequences,
    right_answers,
)


def test_fit_reports_the_loss_before_each_step_and_lowers_it():
    model = nn.Linear(3, 4).double()
    x, y = torch.randn(8, 3).double(), torch.arange(8) % 4
    first = nn.functional.cross_entropy(model(x), y).item()
    losses = fit(model, lambda: ((x,), y), steps=30, learning_rate=0.1)
    assert len(losses) == 30
    assert losses[0] == pytest.approx(first)
    assert losses[-1] < losses[0] - 0.3


def test_fit_warms_up_linearly():
    model = nn.Linear(1, 2, bias=False).double()
    moves = []
    before = model.weight.detach().clone()

    def draw_batch():
        nonlocal before
        moves.append((model.weight - before).abs().max().item())
        before = model.weight.detach().clone()
        return (torch.ones(1, 1).double(),), torch.tensor([0])

    fit(model, draw_batch, steps=4, learning_rate=0.01, warm_up=4)
    # Adam's first steps have the size of the learning rate
    assert moves[1:] == pytest.approx([0.0025, 0.005, 0.0075], rel=0.05)


def test_ignored_targets_do_not_count():
    model = nn.Linear(1, 2).double()
    x = torch.ones(2, 1).double()
    alone = nn.functional.cross_entropy(model(x)[:1], torch.tensor([1])).item()
    targets = torch.tensor([1, IGNORED])
    losses = fit(model, lambda: ((x,), targets), steps=1, learning_rate=0.1)
    assert losses == pytest.approx([alone])


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


def test_numbers_depend_on_the_seed_alone_and_leave_no_trace():
    torch.manual_seed(9)
    untouched = torch.rand(2)
    torch.manual_seed(9)
    with same_numbers(3):
        first = torch.rand(2)
    assert first.dtype == torch.float64
    assert torch.equal(torch.rand(2), untouched)
    assert torch.get_default_dtype() == torch.float32
    torch.set_default_device("meta")
    try:
        with same_numbers(3):
            assert torch.equal(torch.rand(2), first)
    finally:
        torch.set_default_device("cpu")


def test_a_measurement_repeats_to_the_last_bit():
    options = {"seed": 3, "steps": 5}
    first = accuracy_by_position("reverse", "sinusoidal", **options)
    torch.rand(7)
    assert accuracy_by_position("reverse", "sinusoidal", **options) == first
    losses = train_recall(d_head=8, scale=0.3, seed=3, steps=5)
    torch.rand(7)
    assert train_recall(d_head=8, scale=0.3, seed=3, steps=5) == losses


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


def test_recall_starts_at_the_loss_of_guessing_when_scaled():
    losses = train_recall(d_head=16, scale=0.25, seed=0, steps=1)
    assert losses[0] == pytest.approx(math.log(32), abs=0.6)
