"""The logs in the file are those of the page and of the machines themselves."""

import pytest
import torch

from bookkit.checking.facts import facts, some
from chapters.one_page.logs import (
    FEWER,
    MACHINES,
    STEPS,
    measured,
    read_anagrams,
    read_logs,
)


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="module")
def logs():
    return read_logs()


def test_each_machine_has_a_loss_and_a_text_for_every_tenth_step(logs):
    assert list(logs) == list(MACHINES)
    for machine, log in logs.items():
        assert list(log) == list(range(0, FEWER.get(machine, STEPS) + 1, 10))


@facts("machine", some(MACHINES, 3))
def test_the_file_holds_what_a_machine_prints(machine, logs):
    again = measured(machine, 10)
    for place, step in enumerate(again["steps"]):
        loss, text = logs[machine][step]
        # Other processors add in another order, which moves a loss by its last digit.
        assert again["losses"][place] == pytest.approx(loss, abs=0.011)
        assert again["texts"][place] == text


def test_a_machine_learns_to_its_end_what_the_file_holds(logs):
    again = measured("scrambled")
    loss, text = logs["scrambled"][STEPS]
    assert again["steps"][-1] == STEPS
    assert again["losses"][-1] == pytest.approx(loss, abs=0.011)
    assert again["texts"][-1] == text


def test_three_losses_end_at_the_same_value_and_two_texts_are_wrong(logs):
    ends = {"as it is": "egabbac>", "scrambled": "hhc>", "unmasked": "eggabbac>"}
    for machine, text in ends.items():
        assert logs[machine][STEPS] == (pytest.approx(0.01, abs=0.011), text)


def test_without_positions_two_words_of_the_same_letters_are_one():
    assert len({*read_anagrams("as it is").values()}) == 2
    assert len({*read_anagrams("no position").values()}) == 1
