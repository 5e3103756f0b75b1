"""The trainings of the chapter on sinusoids, and the file of their results."""

from itertools import product

import pytest
import torch
from torch import nn

from chapters.laboratory.fit import same_numbers
from chapters.sinusoidal.experiments import (
    BEGIN,
    END,
    MEASUREMENTS,
    POSITIONS,
    SEEDS,
    SYMBOLS,
    TASKS,
    TESTED,
    TRAINED,
    answers,
    config,
    draw_batch,
    exact_match,
    measured,
    rounds,
    shares,
)

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


@pytest.mark.parametrize("task", TASKS)
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


@pytest.mark.parametrize("task", TASKS)
def test_only_faultless_rows_count(task):
    assert exact_match(Oracle(task), task, ROWS) == 1.0
    for place in range(5):
        assert exact_match(Oracle(task, fault=place), task, ROWS) == 0.5


def test_what_is_written_is_read_again():
    oracle = Oracle("sort", fault=1)
    exact_match(oracle, "sort", ROWS)
    assert oracle.seen[-1] == [BEGIN, 2, 3, 5, 9]


def test_the_models_differ_in_the_positions_only():
    one, other = (config(position) for position in POSITIONS)
    assert {**vars(one), "position": "none"} == vars(other)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_measurement_repeats(position):
    first = measured("sort", position, 7, steps=2)
    torch.rand(3)
    assert measured("sort", position, 7, steps=2) == first
    assert len(first["exact"]) == len(TESTED)


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    found = [(row["task"], row["position"], row["seed"]) for row in rows]
    assert found == list(product(TASKS, POSITIONS, SEEDS))
    assert found == [tuple(setting.values()) for setting in rounds()]


def test_results_have_a_row_for_each_seed():
    rows = MEASUREMENTS.read()
    for task, position in product(TASKS, POSITIONS):
        assert shares(rows, task, position).shape == (len(SEEDS), len(TESTED))
