"""The logs of the exercise: one loop, each time without another line."""

from math import log

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory.translator import new_translator, numbers
from chapters.training.missing_lines import (
    BELOW,
    MEASUREMENTS,
    MISSING,
    ORDER,
    STEPS,
    in_columns,
    loss_of,
    train,
)
from transformer.data import Batch, encode_pairs
from transformer.training import LabelSmoothingLoss


@pytest.fixture(scope="module")
def logs():
    return {MISSING[ORDER[row["letter"]]]: row for row in MEASUREMENTS.read()}


@pytest.fixture(scope="module")
def batch():
    return Batch.of(
        encode_pairs(numbers(BELOW).splits.train[:5], numbers(BELOW).tokenizer)
    )


def test_each_line_is_missing_from_one_log():
    assert sorted(ORDER.values()) == [*range(len(MISSING))]
    assert [row["letter"] for row in MEASUREMENTS.read()] == [*ORDER]


def test_with_all_lines_the_loss_is_that_of_the_package(batch):
    model = new_translator(seed=0, below=BELOW).double().eval()
    theirs = LabelSmoothingLoss(smoothing=0.0)(model(*batch.inputs), batch.labels)
    assert_close(loss_of(model, batch, missing="nothing"), theirs, rtol=1e-12, atol=0)


def test_two_lines_change_the_loss_itself(batch):
    model = new_translator(seed=0, below=BELOW).double().eval()
    whole = loss_of(model, batch, missing="nothing")
    for missing in ("the shift", "ignore_index"):
        assert abs(loss_of(model, batch, missing=missing) - whole) > 0.1


def test_the_stored_logs_begin_as_a_training_of_today(logs):
    found = train("ignore_index", steps=2)
    assert found["losses"] == pytest.approx(
        logs["ignore_index"]["losses"][:2], rel=1e-4
    )


def test_without_a_step_nothing_is_learned(logs):
    losses = logs["optimizer.step()"]["losses"]
    assert len(losses) == STEPS
    assert max(losses) - min(losses) < 0.7


def test_without_the_shift_the_model_copies(logs):
    assert logs["the shift"]["losses"][-1] < 0.01
    assert logs["the shift"]["right"] == 0


def test_in_training_mode_two_measurements_differ(logs):
    differ = [
        missing for missing in MISSING if len(set(logs[missing]["held out"])) == 2
    ]
    assert differ == ["model.eval()"]


def test_with_padding_the_loss_begins_below_that_of_a_guess(logs):
    guess = log(numbers(BELOW).tokenizer.vocab_size)
    below = {missing for missing in MISSING if logs[missing]["losses"][0] < guess}
    assert below == {"ignore_index", "the shift"}


def test_a_log_has_a_column_for_each_thing_that_is_asked():
    log = {"letter": "A", "losses": [5.4, 3.0, 0.123], "held out": [0.5, 0.25]}
    found = in_columns(log | {"right": 0.75})
    assert found == ["A", 5.4, 0.123, "0.50 and 0.25", 0.75]


def test_dropout_is_drawn_from_a_seed_and_leaves_no_trace():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    first = train("nothing", steps=1)
    assert torch.equal(torch.rand(1), expected)
    assert train("nothing", steps=1) == first
