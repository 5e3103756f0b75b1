"""The training loop that measurements share, and the numbers they draw."""

import pytest
import torch
from torch import nn

from chapters.laboratory.fit import fit, same_numbers
from transformer.data import IGNORED


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
