"""The attention of all heads that the explorer shows is that of the model."""

from itertools import pairwise

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.inside.all_heads import (
    HEADS,
    LAYERS,
    MEASUREMENTS,
    MIXED,
    MODEL,
    RANDOM,
    TEXTS,
    find_heads,
    find_words,
    measured,
)
from chapters.inside.explorer import KINDS
from chapters.inside.packed import PARTS, unpack
from chapters.inside.reading import read
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model, weights_of_head

SOME = [(1, 1), (12, 2), (17, 1), (18, 5), (19, 7), (30, 9)]


@pytest.fixture(scope="module")
def smollm():
    return open_model(MODEL)


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [1 + ord(letter) % 17 for letter in text]

    def decode(self, ids):
        return f" {chr(96 + ids[0])}"


def test_words_and_weights_are_those_of_a_reading():
    model = language_model(seed=0).eval()
    row = measured(model, Letters(), "abcabd")
    weights = read(model, torch.tensor([Letters().encode("abcabd")])).weights[:, 0]
    found = unpack(row["weights"], heads=weights[:, :, 0, 0].numel(), words=6)
    assert row["words"] == [chr(96 + i) for i in Letters().encode("abcabd")]
    for head, exact in zip(found, weights.flatten(end_dim=1), strict=True):
        for i, parts in enumerate(head):
            told = torch.tensor(parts) / PARTS
            assert (told - exact[i, : i + 1]).abs().max() < 1 / PARTS


def test_the_file_holds_every_text_once():
    rows = MEASUREMENTS.read()
    assert [row["text"] for row in rows] == [*TEXTS]


def test_the_stored_words_are_those_that_the_model_reads(smollm):
    tokenizer = smollm.tokenizer
    for name, text in TEXTS.items():
        words = [tokenizer.decode([token]).strip() for token in tokenizer.encode(text)]
        assert find_words(name) == words


@facts("text", TEXTS)
def test_some_stored_heads_are_those_of_the_model_within_the_rounding(smollm, text):
    ids = torch.tensor([smollm.tokenizer.encode(TEXTS[text])])
    for layer, number in SOME:
        exact = weights_of_head(smollm.model, ids, layer=layer, head=number)[0]
        stored = find_heads(text)[HEADS * (layer - 1) + number - 1]
        for i, parts in enumerate(stored):
            told = torch.tensor(parts) / PARTS
            assert (told - exact[i, : i + 1]).abs().max() < 1 / PARTS


def test_every_shade_is_that_of_the_model_within_half_a_part(
    smollm, find_places, add_up
):
    for text in TEXTS:
        ids = torch.tensor([smollm.tokenizer.encode(TEXTS[text])])
        weights = read(smollm.model, ids).weights[:, 0].flatten(end_dim=1)
        assert len(weights) == LAYERS * HEADS
        for kind in KINDS:
            places = find_places(kind, find_words(text))
            rows, columns = zip(*places, strict=True)
            exact = weights[:, list(rows), list(columns)].mean(dim=1)
            sums = [add_up(head, places) for head in find_heads(text)]
            told = torch.tensor(sums) / (PARTS * len(places))
            bound = 0.5 / PARTS if len(places) > 3 else 1 / PARTS  # few may err alike
            assert (told - exact).abs().max() < bound


def test_shuffled_words_stand_elsewhere_and_behind_other_words():
    half = len(RANDOM)
    assert sorted(MIXED) == [*range(half)]
    assert all(place != i for i, place in enumerate(MIXED))
    assert all(second != first + 1 for first, second in pairwise(MIXED))
    assert find_words("mixed")[:half] == find_words("twice")[:half] == [*RANDOM]
    assert sorted(find_words("mixed")) == sorted(find_words("twice"))
