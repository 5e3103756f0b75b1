"""One word in many sentences: its place, its vectors, and how far they lie apart."""

import pytest
import torch
from torch.testing import assert_close

from chapters.encoder_decoder.both_sides import (
    AFTER,
    STRANGER,
    distances,
    open_encoder,
    table,
    vectors_of,
    within_and_across,
)
from chapters.laboratory import published
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model
from transformer.config import TransformerConfig
from transformer.models import EncoderOnlyTransformer

SOUNDS = ["", "the", "bank", "dog", "was"]


class Words:
    """A tokenizer with a token for each word; the longer ones share four."""

    def encode(self, text):
        low = text.lower().split()
        return [SOUNDS.index(w) if w in SOUNDS else 5 + len(w) % 4 for w in low]

    def decode(self, ids):
        return SOUNDS[ids[0]] if ids[0] < len(SOUNDS) else "?"


@pytest.fixture(scope="module")
def decoder():
    return language_model(seed=0).eval()


@pytest.fixture(scope="module")
def encoder():
    torch.manual_seed(0)
    config = TransformerConfig(
        vocab_size=11,
        max_len=32,
        d_model=12,
        d_ff=17,
        num_heads=3,
        num_encoder_layers=3,
        num_decoder_layers=0,
    )
    return EncoderOnlyTransformer(config, head=None).eval()


def test_the_vector_is_that_of_the_last_place_halfway_up(decoder):
    text = "the bank the bank was"
    x = decoder.embedding(torch.tensor([Words().encode(text)]))
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    for layer in decoder.decoder.layers[: len(decoder.decoder.layers) // 2]:
        x = layer(x, mask=mask)
    texts = ["the dog was the dog was bank", text]
    _, found = vectors_of(decoder, Words(), texts, "bank")
    assert_close(found, x[0, 3].double(), rtol=0, atol=1e-5)


def test_no_hook_stays_in_the_model(decoder, encoder):
    for model in (decoder, encoder):
        vectors_of(model, Words(), ["the bank"], "bank")
        assert not any(part._forward_hooks for part in model.modules())


def test_a_word_that_is_not_there_has_no_vector(decoder):
    with pytest.raises(ValueError, match="empty"):
        vectors_of(decoder, Words(), ["the dog"], "bank")


def test_to_a_decoder_a_word_is_the_same_however_the_sentence_goes_on(decoder):
    assert distances(decoder, Words(), "bank").max() < 1e-6


def test_to_an_encoder_it_depends_on_what_comes_later(encoder):
    found = distances(encoder, Words(), "bank")
    assert_close(found, found.T)
    assert found.diagonal().max() < 1e-12
    assert (found + torch.eye(8) > 1e-4).all()


def test_the_second_of_two_readings_depends_on_the_rest_of_the_first(decoder):
    twice = distances(decoder, Words(), "bank", before="{text} {text}")
    assert (twice + torch.eye(8) > 1e-5).all()


def test_another_text_in_front_does_not_help(decoder):
    after = distances(decoder, Words(), "bank", before=STRANGER + " {text}")
    assert after.max() < 1e-6


def test_means_within_and_across_by_hand():
    matrix = torch.full((8, 8), 0.5)
    matrix[:4, :4] = matrix[4:, 4:] = 0.25
    matrix[1, 0] = matrix[0, 1] = 0.25 + 12 * 0.125
    matrix.fill_diagonal_(0)
    assert within_and_across(matrix) == (0.375, 0.5)


def test_the_table_has_a_row_for_each_way_of_reading():
    rows = table({"once": torch.zeros(8, 8), "twice": torch.ones(8, 8)}).rows
    assert rows == [["once", "0.00", "0.00"], ["twice", "1.00", "1.00"]]


def test_a_reader_without_the_encoder_is_told_what_is_missing(monkeypatch, capsys):
    def missing(*_):
        raise ImportError("fetching needs a package")

    monkeypatch.setattr(published, "file_of", missing)
    assert open_encoder() is None
    assert capsys.readouterr().out == "We go on without it: fetching needs a package\n"


def test_every_sentence_holds_its_word_once():
    texts = [text for part in AFTER.values() for text in part]
    assert len(texts) == 8
    assert not [text for text in texts if "bank" in text or "dog" in text]


def test_the_real_encoder_keeps_every_pair_of_one_meaning_closer():
    found = distances(*open_encoder(), "bank")
    other = found[:4, 4:]
    same = torch.stack((found[:4, :4], found[4:, 4:]))
    assert same.max() < other.min()


def test_the_real_decoder_tells_meanings_apart_at_the_second_reading_only():
    smollm = open_model("smollm2-135m")
    assert distances(*smollm, "bank").max() < 1e-5
    same, other = within_and_across(distances(*smollm, "bank", before="{text} {text}"))
    assert other > 2 * same
