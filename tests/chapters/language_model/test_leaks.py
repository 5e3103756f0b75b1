"""What a held-out gospel costs, with and without those that share its sentences."""

from math import log

import pytest
import torch

from chapters.laboratory import king_james
from chapters.language_model import leaks

TRAIN = king_james.names_of("train")


def test_what_is_held_out_is_never_learned():
    mark = king_james.text(leaks.HELD_OUT)
    first = mark[:300]
    assert first in king_james.split_text("train")
    for name in leaks.LEFT_OUT:
        assert first not in leaks.learned(name)
    assert first not in leaks.common()


def test_each_training_leaves_out_its_own_books_alone():
    for name, books in leaks.LEFT_OUT.items():
        assert name == " and ".join(books)
        read = leaks.learned(name)
        for book in TRAIN:
            missing = book in (*books, leaks.HELD_OUT)
            assert (king_james.text(book)[:300] not in read) == missing


def test_the_control_is_about_as_long():
    sizes = [len(leaks.learned(name)) for name in leaks.LEFT_OUT]
    assert max(sizes) < 1.02 * min(sizes)


def test_tokens_are_fitted_to_what_all_trainings_read():
    common = leaks.common()
    for name in leaks.LEFT_OUT:
        assert len(common) < len(leaks.learned(name))
    for books in leaks.LEFT_OUT.values():
        for book in books:
            assert king_james.text(book)[:300] not in common


def test_the_cost_is_that_of_a_letter_in_bits(monkeypatch):
    monkeypatch.setattr(leaks, "loss_of", lambda model, ids: 3 * log(2))
    found = leaks.bits(None, torch.arange(11), "a" * 15)
    assert found == pytest.approx(2.0)  # 10 labels of 3 bits spell 15 letters


def test_both_are_trained_with_each_seed():
    wanted = list(leaks.pending([]))
    assert len(wanted) == len(leaks.SEEDS) * len(leaks.LEFT_OUT)
    assert next(leaks.pending(wanted[:1])) == wanted[1]
    rows = leaks.MEASUREMENTS.read()
    assert not list(leaks.pending(rows))
    assert len(rows) == len(wanted)


def test_what_shares_sentences_is_worth_more_than_the_seeds_differ():
    """The page says so."""
    costs = {
        name: [x["bits"] for x in leaks.MEASUREMENTS.read() if x["left_out"] == name]
        for name in leaks.LEFT_OUT
    }
    assert max(costs["Exodus and Leviticus"]) < min(costs["Matthew and Luke"])
