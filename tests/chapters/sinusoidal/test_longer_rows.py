"""Rows that are longer than those of the training, and the trainings."""

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.laboratory.fit import same_numbers
from chapters.sinusoidal import longer_rows
from chapters.sinusoidal.longer_rows import (
    BEGIN,
    END,
    SYMBOLS,
    TESTED,
    TRAINED,
    answers,
    config,
    draw_batch,
    exact_match,
    loss,
    measured,
)

TASKS = ("reverse", "sort")
ROWS = torch.tensor([[5, 2, 9, 2], [0, 7, 3, 11]])


class Oracle(nn.Module):
    """Writes the right answer, or one with a fault in the first row."""

    def __init__(self, task, *, fault=None):
        super().__init__()
        self.wanted = answers(task, ROWS)
        self.seen = []
        if fault is not None:
            self.wanted[0, fault] = (self.wanted[0, fault] + 1) % END

    def encode(self, source):
        assert source[:, -1].eq(END).all()
        return source

    def decode(self, written, memory):
        self.seen.append(written[0].tolist())
        following = self.wanted[:, : written.size(1)]
        return nn.functional.one_hot(following, SYMBOLS + 2).double()


def test_the_answers_by_hand():
    assert answers("reverse", ROWS).tolist() == [[2, 9, 2, 5, END], [11, 3, 7, 0, END]]
    assert answers("sort", ROWS).tolist() == [[2, 2, 5, 9, END], [0, 3, 7, 11, END]]


@facts("task", TASKS)
def test_batches_have_trained_lengths_and_targets_one_step_behind(task):
    lengths = set()
    with same_numbers(3):
        for _ in range(101):
            (source, target), labels = draw_batch(task)
            assert source[:, -1].eq(END).all()
            assert target[:, 0].eq(BEGIN).all()
            assert torch.equal(labels, answers(task, source[:, :-1]))
            assert torch.equal(target[:, 1:], labels[:, :-1])
            lengths.add(source.size(1) - 1)
    assert lengths == set(TRAINED)


@facts("task", TASKS)
def test_only_faultless_rows_count(task):
    assert exact_match(Oracle(task), task, ROWS) == 1.0
    for place in range(5):
        assert exact_match(Oracle(task, fault=place), task, ROWS) == 0.5


def test_what_is_written_is_read_again():
    oracle = Oracle("sort", fault=1)
    exact_match(oracle, "sort", ROWS)
    assert oracle.seen[-1] == [BEGIN, 2, 3, 5, 9]


def test_the_models_differ_in_the_positions_only():
    one, other = (config(position) for position in ("sinusoidal", "none"))
    assert {**vars(one), "position": "none"} == vars(other)


@facts("task", TASKS)
def test_who_is_sure_of_the_right_answer_loses_little(task):
    class Sure(Oracle):
        def __call__(self, source, target):
            return 50 * self.decode(target, source)

    assert loss(Sure(task), task, ROWS) < 1e-9
    assert loss(Sure(task, fault=1), task, ROWS) == pytest.approx(50 / 10)


def test_the_first_length_was_trained_and_the_others_are_longer(monkeypatch):
    shares = iter([0.9, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    monkeypatch.setattr(longer_rows, "exact_match", lambda *_: next(shares))
    row = measured("sorted, sinusoids", 1e-3, 1, 7)
    assert max(TRAINED) == TESTED[0] < min(TESTED[1:])
    assert row["known"] == 0.9
    assert row["longer"] == pytest.approx(0.35)


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    monkeypatch.setattr(longer_rows, "loss", lambda *_: float("nan"))
    assert list(measured("sorted, sinusoids", 1e-3, 1, 7)) == ["validation"]
