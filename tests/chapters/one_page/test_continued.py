"""The language model of the page: the file and a training of today."""

import pytest
import torch

from chapters.one_page.continued import MEASUREMENTS, STEPS, WORD, measured, read_log


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_the_log_has_every_tenth_step_and_ends_with_the_word_backward():
    assert list(read_log()) == list(range(0, STEPS + 1, 10))
    assert read_log()[STEPS][1] == f"{WORD[::-1]}>"


def test_the_weights_have_a_row_for_each_sign_that_is_written():
    (row,) = MEASUREMENTS.read()
    rows, columns = len(row["weights"]), {len(weights) for weights in row["weights"]}
    assert (rows, columns) == (len(row["written"]), {len(row["read"])})


def test_a_training_begins_as_in_the_file():
    found = measured(10)
    for place, step in enumerate(found["steps"]):
        loss, text = read_log()[step]
        assert found["losses"][place] == pytest.approx(loss, abs=0.011)
        assert found["texts"][place] == text
