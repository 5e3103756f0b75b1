"""Tests of windows of one text."""

import pytest
import torch
from torch.testing import assert_close

from transformer.data import IGNORED, TextBatches, text_windows

IDS = torch.arange(100, 203)  # each token tells its place


def batches(width=5, batch_size=3, seed=0):
    return TextBatches(IDS, width=width, batch_size=batch_size, seed=seed)


def test_each_token_is_asked_for_from_those_before_it():
    batch = batches()[0]
    (read,) = batch.inputs
    assert read.shape == batch.labels.shape == (3, 5)
    assert_close(batch.labels, read + 1)


def test_the_first_token_may_be_one_that_pads_elsewhere():
    batch = TextBatches(torch.zeros(50, dtype=torch.long), width=5, batch_size=3)[0]
    assert (batch.labels == 0).all()


@pytest.mark.parametrize(("width", "batch_size"), [(5, 3), (7, 2), (11, 4), (1, 1)])
def test_no_token_is_asked_for_twice_in_an_epoch(width, batch_size):
    ours = batches(width, batch_size)
    asked = torch.cat([ours[n].labels.flatten() for n in range(ours.steps_per_epoch)])
    assert len(asked.unique()) == len(asked)
    assert len(IDS) - len(asked) <= width * (batch_size + 2)


def test_epochs_cut_the_text_at_other_places():
    ours = batches()
    steps = ours.steps_per_epoch
    starts = {int(ours[steps * epoch].target[0, 0]) % 5 for epoch in range(20)}
    assert len(starts) > 2


def test_a_batch_depends_on_the_step_and_the_seed_alone():
    one, other = batches(), batches()
    late = one[50]
    for step in (0, 50):
        expected = one[step]
        assert_close(other[step].target, expected.target)
    assert_close(one[50].target, late.target)
    assert not torch.equal(batches(seed=1)[0].target, one[0].target)


@pytest.mark.parametrize("tokens", [2, 11, 12, 31, 33])
def test_windows_in_order_ask_for_each_token_but_the_first_once(tokens):
    found = text_windows(IDS[:tokens], width=5, batch_size=3)
    labels = torch.cat([batch.labels.flatten() for batch in found])
    assert_close(labels[labels != IGNORED], IDS[1:tokens])


def test_what_does_not_fit_is_refused(refuses):
    def make(ids=IDS, **others):
        return TextBatches(ids, **{"width": 5, "batch_size": 3, **others})

    refuses(lambda: make([1, 2]), TypeError, "ids", "list")
    refuses(lambda: make(torch.ones(9)), TypeError, "ids", "9")
    refuses(lambda: make(IDS[None]), TypeError, "ids", "1, 103")
    refuses(lambda: make(IDS[:19]), ValueError, "20 tokens", "got 19")
    refuses(lambda: make(width=0), ValueError, "width", "got 0")
    refuses(lambda: make(batch_size=0), ValueError, "batch_size", "got 0")
    refuses(lambda: make(seed=-1), ValueError, "seed", "got -1")
    refuses(lambda: make()[-1], ValueError, "step", "got -1")
    refuses(lambda: text_windows(IDS[:1], width=5, batch_size=1), ValueError, "got 1")


def test_the_shortest_text_has_a_batch_wherever_it_is_cut():
    ours = TextBatches(IDS[:20], width=5, batch_size=3)
    for epoch in range(10):
        assert ours[epoch * ours.steps_per_epoch].target.shape == (3, 6)
