"""Tests of label smoothing."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.training import LabelSmoothingLoss

EXACT = {"rtol": 0, "atol": 1e-12}


def drawn(*shape, vocab=11, ignored=()):
    logits = torch.randn(*shape, vocab, dtype=torch.float64, requires_grad=True)
    labels = torch.randint(vocab, shape)
    for place in ignored:
        labels[place] = -100
    return logits, labels


def test_equation_by_hand():
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0]], dtype=torch.float64)
    label = torch.tensor([0])
    assert float(LabelSmoothingLoss(smoothing=0.0)(logits, label)) == pytest.approx(
        0.4402, abs=5e-5
    )
    assert float(LabelSmoothingLoss()(logits, label)) == pytest.approx(0.5902, abs=5e-5)


def test_one_position_needs_no_other_axis():
    logits, label = torch.tensor([2.0, 1.0, 0.0, -1.0]), torch.tensor(0)
    loss = LabelSmoothingLoss()
    assert_close(loss(logits, label), loss(logits[None], label[None]))


def test_it_is_the_cross_entropy_with_the_smoothed_distribution():
    logits, labels = drawn(5)
    q = 0.9 * F.one_hot(labels, 11).double() + 0.1 / 11
    by_definition = -(q * logits.log_softmax(-1)).sum(-1).mean()
    assert_close(LabelSmoothingLoss()(logits, labels), by_definition, **EXACT)


@facts("smoothing", [0.0, 0.1, 0.37])
def test_value_and_gradient_are_those_of_pytorch(smoothing, parity):
    logits, labels = drawn(3, 5, ignored=[(0, 4), (2, 1), (2, 2)])
    ours = LabelSmoothingLoss(smoothing=smoothing)(logits, labels)
    gradient = torch.autograd.grad(ours, logits)[0]
    theirs = F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing
    )
    compared = parity(LabelSmoothingLoss, F.cross_entropy)
    compared.values(ours, theirs, **EXACT)
    their_gradient = torch.autograd.grad(theirs, logits)[0]
    compared.gradients(gradient, their_gradient, **EXACT)


def test_padding_of_another_label_is_left_out_too(parity):
    logits, labels = drawn(3, 5)
    labels[1, 3:] = 0
    ours = LabelSmoothingLoss(ignore_index=0)(logits, labels)
    theirs = F.cross_entropy(
        logits.transpose(1, 2), labels, label_smoothing=0.1, ignore_index=0
    )
    parity(LabelSmoothingLoss, F.cross_entropy).values(ours, theirs, **EXACT)


@facts("vocab, least", [(4, 0.349), (37_000, 1.377)])
def test_the_least_loss_is_the_entropy_of_the_smoothed_labels(vocab, least):
    q = torch.full((vocab,), 0.1 / vocab, dtype=torch.float64)
    q[0] += 0.9
    loss = LabelSmoothingLoss()
    found = float(loss(q.log()[None], torch.tensor([0])))
    assert found == pytest.approx(least, abs=5e-4)
    assert found == pytest.approx(float(-(q * q.log()).sum()))


@given(shift=st.floats(-50, 50), seed=st.integers(0, 99))
def test_adding_a_number_to_all_logits_changes_nothing(shift, seed):
    torch.manual_seed(seed)
    logits, labels = drawn(3, 5)
    loss = LabelSmoothingLoss()
    assert_close(loss(logits + shift, labels), loss(logits, labels), rtol=0, atol=1e-10)


def test_parts_of_a_batch_add_up():
    logits, labels = drawn(6, 5, ignored=[(1, 2), (4, 0)])
    loss = LabelSmoothingLoss()
    parts = [slice(0, 1), slice(1, 6)]
    total = sum(loss.total(logits[part], labels[part]) for part in parts)
    count = sum(loss.count(labels[part]) for part in parts)
    assert_close(total / count, loss(logits, labels), **EXACT)


@facts("strange", [torch.inf, -torch.inf, torch.nan])
@facts("smoothing", [0.0, 0.1])
def test_ignored_positions_change_nothing_whatever_their_logits(smoothing, strange):
    logits, labels = drawn(3, ignored=[1])
    loss = LabelSmoothingLoss(smoothing=smoothing)
    expected = loss(logits[[0, 2]], labels[[0, 2]])
    expected_gradient = torch.autograd.grad(expected, logits)[0]
    with torch.no_grad():
        logits[1] = strange
    found = loss(logits, labels)
    gradient = torch.autograd.grad(found, logits)[0]
    assert_close(found, expected, **EXACT)
    assert_close(gradient[[0, 2]], expected_gradient[[0, 2]], **EXACT)


def test_a_batch_without_labels_adds_nothing():
    loss = LabelSmoothingLoss()
    logits, labels = drawn(0, 5)
    assert float(loss.total(logits, labels).detach()) == 0
    assert int(loss.count(labels)) == 0


def test_labels_in_bytes_are_those_in_whole_numbers():
    logits, labels = drawn(3, 5, vocab=300)
    labels = labels % 256
    loss = LabelSmoothingLoss(ignore_index=0)
    found = loss(logits, labels.to(torch.uint8))
    assert_close(found, loss(logits, labels), **EXACT)


def test_labels_that_cannot_be_the_ignored_one_are_not_counted(refuses):
    labels = torch.tensor([156, 7, 2], dtype=torch.uint8)
    refuses(
        lambda: LabelSmoothingLoss().count(labels),
        TypeError,
        "labels.*got torch.uint8.*conve",
    )


def test_it_prints_its_settings():
    assert repr(LabelSmoothingLoss()) == (
        "LabelSmoothingLoss(smoothing=0.1, ignore_index=-100)"
    )


@facts(
    "settings, error, message",
    [
        ({"smoothing": 1.0}, ValueError, "smoothing must be at least 0 and below 1"),
        ({"smoothing": "a"}, TypeError, "smoothing.*got 'a'"),
        ({"ignore_index": 0.5}, TypeError, "ignore_index must be a whole number"),
    ],
)
def test_settings_that_do_not_fit_are_refused(refuses, settings, error, message):
    refuses(lambda: LabelSmoothingLoss(**settings), error, message)


@facts(
    "labels, error, message",
    [
        (torch.rand(3), TypeError, "labels.*got torch.float32.*convert"),
        (torch.ones(3, dtype=torch.uint8), TypeError, "labels.*got torch.uint8"),
        (
            torch.ones(2).long(),
            ValueError,
            r"labels must name .*labels of shape \(2,\) for logits of",
        ),
        (torch.tensor([0, 11, 1]), ValueError, "labels.*got 11"),
        (torch.tensor([0, -1, 1]), ValueError, "labels.*got -1.*check"),
        (torch.full((3,), -100), ValueError, "at least one label must count"),
    ],
)
def test_labels_that_do_not_fit_are_refused(refuses, labels, error, message):
    logits, _ = drawn(3)
    refuses(lambda: LabelSmoothingLoss()(logits, labels), error, message)


def test_logits_that_are_no_floats_are_refused(refuses):
    labels = torch.ones(3).long()
    refuses(
        lambda: LabelSmoothingLoss()(torch.ones(3, 5).long(), labels),
        TypeError,
        "logits must hold floating-point numbers",
    )


def test_what_cannot_be_written_costs_nothing_unless_it_is_the_label():
    logits = torch.tensor([[0.0, 1.0, -torch.inf]], requires_grad=True)
    label = torch.tensor([1])
    loss = LabelSmoothingLoss(smoothing=0.0)(logits, label)
    assert_close(loss, F.cross_entropy(logits, label))
    loss.backward()
    expected = torch.tensor([[0.2689, -0.2689, 0.0]])
    assert_close(logits.grad, expected, rtol=0, atol=5e-5)
    assert LabelSmoothingLoss(smoothing=0.0)(logits, torch.tensor([2])) == torch.inf
    assert LabelSmoothingLoss()(logits, label) == torch.inf  # of which a share is asked
