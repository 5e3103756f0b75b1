"""A model whose hands are moved, stretched, stopped or paired otherwise, and back."""

from contextlib import suppress

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.rotary.moved_model import (
    at_positions,
    chance,
    hands_of,
    in_layout,
    stopped,
)
from transformer.layers import RotaryEmbedding, rotary_frequencies

IDS = [3, 1, 4, 1, 5, 2, 6]
LOOSE = {"rtol": 1e-4, "atol": 1e-5}  # float32, and angles of thousands of radians


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]


@pytest.fixture(scope="module")
def model():
    model = language_model(seed=0).eval()
    with torch.no_grad():  # scores of a fresh model are too small to tell places apart
        for layer in model.decoder.layers:
            layer.self_attention.query_projection.weight *= 20
    return model


@torch.no_grad()
def logits(model):
    return model(torch.tensor([IDS]))


def test_all_layers_turn_by_the_same_hands(model):
    (hands,) = hands_of(model)
    assert all(layer.self_attention.rotary is hands for layer in model.decoder.layers)


def test_a_moved_text_is_read_alike(model):
    with at_positions(model, lambda n: n + 1000):
        moved = logits(model)
    assert_close(moved, logits(model), **LOOSE)


def test_a_stretched_text_is_not(model):
    with at_positions(model, lambda n: 2 * n):
        stretched = logits(model)
    assert not torch.allclose(stretched, logits(model), **LOOSE)


def test_all_hands_stopped_are_all_words_in_one_place(model):
    with at_positions(model, lambda n: 0 * n):
        together = logits(model)
    with stopped(model, slice(None)):
        still = logits(model)
    assert_close(still, together, **LOOSE)


@facts("layout", ["half", "interleaved"])
def test_the_fastest_hand_is_the_first(layout):
    rotary = RotaryEmbedding(6, layout=layout)
    positions = torch.tensor([0, 2])
    before = rotary.rotation(positions, torch.float64)
    with stopped(rotary, slice(1)):
        after = rotary.rotation(positions, torch.float64)
    changed = (before.cosine - after.cosine).abs().sum(dim=0) > 0
    first = {"half": [0, 3], "interleaved": [0, 1]}
    assert changed.nonzero().flatten().tolist() == first[layout]


def test_no_hand_stopped_leaves_the_frequencies(model):
    hand = hands_of(model)[0]
    before = hand.frequencies.clone()
    with stopped(model, slice(0)):
        assert torch.equal(hand.frequencies, before)


def test_the_hands_of_one_layer_leave_those_of_the_others(model):
    first, second = (layer.self_attention for layer in model.decoder.layers[:2])
    hand = first.rotary
    with stopped(model.decoder.layers[0], slice(None)):
        assert (first.rotary.frequencies == 0).all()
        assert second.rotary is hand
        assert (hand.frequencies != 0).all()
    assert first.rotary is hand


def test_another_layout_has_the_same_frequencies_elsewhere():
    rotary = RotaryEmbedding(6, layout="interleaved")
    x, positions = torch.ones(3, 6, dtype=torch.float64), torch.arange(3)
    with in_layout(rotary, "half"):
        assert_close(rotary(x, positions), RotaryEmbedding(6)(x, positions))
    assert rotary.layout == "interleaved"
    assert_close(rotary.frequencies[1::2], rotary_frequencies(6))


@facts(
    "change",
    [
        lambda model: at_positions(model, lambda n: 3 * n),
        lambda model: stopped(model, slice(2)),
        lambda model: in_layout(model, "interleaved"),
    ],
)
def test_afterwards_the_model_is_as_it_was(model, change):
    before = logits(model)
    with suppress(KeyboardInterrupt), change(model):
        assert not torch.allclose(logits(model), before, **LOOSE)
        raise KeyboardInterrupt
    assert torch.equal(logits(model), before)


def test_chances_of_all_words_sum_to_one(model):
    letters = "ghijklm"  # one for each of the seven tokens that the tokenizer knows
    chances = [chance(model, Letters(), "hello", letter) for letter in letters]
    probabilities = model(torch.tensor([Letters().encode("hello")]))[0, -1].softmax(-1)
    assert chances == pytest.approx(
        [probabilities[ord(letter) % 7].item() for letter in letters]
    )
