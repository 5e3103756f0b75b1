"""Other lines in the file make another machine, and what leaks is measured."""

import pytest
import torch

from chapters.one_page import one_page_transformer as page
from chapters.one_page.changes import changed, leak, padding_leak

NO_CAUSE = ("scores.tril().bool()", "scores.bool()")
NO_PADDING = ("real = (source != PAD)", "real = (source == source)")


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_a_change_makes_another_module_and_leaves_the_file():
    other = changed(("PAD, START, END = 0, 1, 2", "PAD, START, END = 0, 1, 7"))
    assert (other.END, page.END) == (7, 2)


def test_several_pieces_change_in_turn():
    other = changed(("END = 0, 1, 2", "END = 0, 1, 7"), ("0, 1, 7", "0, 1, 8"))
    assert other.END == 8


def test_a_changed_machine_is_not_trained_by_itself(capsys):
    changed(NO_CAUSE)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("piece", "count"), [("absent", 0), ("return", r"\d+")])
def test_a_piece_must_be_there_once(piece, count):
    with pytest.raises(ValueError, match=f"must hold '{piece}' once.* {count} times"):
        changed((piece, ""))


def test_the_file_leaks_nothing():
    assert leak(page) == 0
    assert padding_leak(page) < 1e-12


def test_without_the_causal_mask_the_future_leaks():
    assert leak(changed(NO_CAUSE)) > 0.1


def test_without_the_mask_of_padding_paddings_count():
    assert padding_leak(changed(NO_PADDING)) > 1e-3
    assert leak(changed(NO_PADDING)) == 0
