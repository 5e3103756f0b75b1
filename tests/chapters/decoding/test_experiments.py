"""The measurements of the chapter on decoding, and the file that holds them."""

import pytest
import torch

from chapters.decoding.continuations import AHEAD, CONTINUATIONS
from chapters.decoding.experiments import (
    LONGEST,
    MEASUREMENTS,
    TRANSLATIONS,
    held_out_numbers,
    settings,
    show_the_future,
    surprise,
    translations,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.translator import new_translator, numbers
from transformer.data import PAD_ID


@pytest.fixture(scope="module")
def translator():
    return new_translator(seed=3, below=10_000).double().eval()


def test_right_texts_are_the_references():
    source, right = held_out_numbers(7)
    task = numbers(10_000)
    wanted = {tuple(example.target[1:]) for example in task.held_out[:7]}
    found = {tuple(row[row != PAD_ID].tolist()) for row in right}
    assert found == wanted
    assert right.shape == (7, LONGEST)
    assert len(source) == 7


def test_the_surprise_is_the_sum_over_the_tokens_of_a_text(translator):
    source, right = held_out_numbers(5)
    longer = right.clone()
    longer[:, -1] = PAD_ID
    torch.testing.assert_close(
        surprise(translator, source, right), surprise(translator, source, longer)
    )
    first = right.clone()
    first[:, 1:] = PAD_ID
    assert (
        surprise(translator, source, first) < surprise(translator, source, right)
    ).all()


@pytest.mark.parametrize("way", ["greedy", "beam 2", "T = 1"])
def test_a_translation_is_told_in_full(translator, way):
    source, right = held_out_numbers(5)
    told = translations(translator, source, right, **TRANSLATIONS[way])
    assert told["texts"].shape == (5, LONGEST)
    assert not told["right"].any()  # the model knows nothing yet
    assert (told["length"] == (told["texts"] != PAD_ID).sum(dim=1)).all()
    assert (told["nats"] >= 0).all()


def test_an_open_mask_lets_the_first_letter_see_the_last():
    texts = torch.tensor([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]])
    model = language_model(seed=0).eval()
    first = model(texts)[:, 0]
    assert first[0].equal(first[1])
    show_the_future(model)
    first = model(texts)[:, 0]
    assert not torch.allclose(first[0], first[1])


def test_the_file_holds_each_setting_once():
    rows = MEASUREMENTS.read()
    assert [{k: row[k] for k in ("kind", "seed")} for row in rows] == settings()
    for row in rows:
        if row["kind"] in ("translator", "unsmoothed"):
            assert list(row["found"]) == ["the right text", *TRANSLATIONS]
        if row["kind"] == "language":
            assert list(row["found"]) == ["real text", *CONTINUATIONS, "guesses"]
            assert [*row["found"]["guesses"]] == [str(ahead) for ahead in AHEAD]
