"""What a translator writes in each way, and the study of its trainings."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding import translations as module
from chapters.decoding.translations import (
    BELOW,
    LONGEST,
    STUDY,
    TRANSLATIONS,
    held_out_numbers,
    measured,
    show_the_future,
    surprise,
    translations,
    written,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.recipe import Trained
from chapters.laboratory.translator import new_translator, numbers
from transformer.data import PAD_ID


@pytest.fixture(scope="module")
def translator():
    return new_translator(seed=3, below=10_000).double().eval()


def test_right_texts_are_the_references():
    source, right = held_out_numbers(7)
    pairs = numbers(BELOW).held_out[1::2]
    wanted = {tuple(example.target[1:]) for example in pairs[:7]}
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


@facts("way", ["greedy", "beam 2", "T = 1"])
def test_a_translation_is_told_in_full(translator, way):
    source, right = held_out_numbers(5)
    told = translations(translator, source, right, **TRANSLATIONS[way])
    assert told["texts"].shape == (5, LONGEST)
    assert not told["right"].any()  # the model knows nothing yet
    assert (told["nats"] >= 0).all()


def test_an_open_mask_lets_the_first_letter_see_the_last():
    texts = torch.tensor([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]])
    model = language_model(seed=0).eval()
    first = model(texts)[:, 0]
    assert first[0].equal(first[1])
    show_the_future(model)
    first = model(texts)[:, 0]
    assert not torch.allclose(first[0], first[1])


@pytest.fixture
def five_texts(monkeypatch):
    """Let five numbers stand for the three hundred."""
    monkeypatch.setattr(held_out_numbers, "__defaults__", (5,))


@pytest.mark.usefixtures("five_texts")
def test_each_way_is_told_and_the_references(translator):
    found = written(translator, seed=1)
    ways = {name.rpartition(" ")[0] for name in found}
    assert ways == {"reference", *TRANSLATIONS}
    assert 0 < found["reference chance"] < 1
    assert found["reference nats"] > 10


@pytest.mark.usefixtures("five_texts")
def test_smoothed_labels_choose_by_the_smoothed_loss():
    smoothed, plain, future = (
        measured(variant, 3e-3, 51, 5) for variant in STUDY.variants
    )
    assert smoothed["validation"] - smoothed["nats"] > 0.2
    assert plain["validation"] == pytest.approx(plain["nats"], abs=0.1)
    assert future["nats"] < plain["nats"]
    assert "T = 1 right" in plain
    assert "T = 1 right" not in future


def test_a_training_that_diverged_is_not_measured_further(monkeypatch, translator):
    monkeypatch.setattr(
        module, "train", lambda **_: Trained(translator.float(), [], diverged=True)
    )
    assert measured("plain", 1e-2, 60, 5) == {"validation": float("inf")}
