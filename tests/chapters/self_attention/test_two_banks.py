"""One word read in many sentences: the vectors that are kept, and how they agree."""

import math

import pytest
import torch

from chapters.laboratory.language_model import language_model
from chapters.self_attention.two_banks import (
    BEFORE,
    agreement,
    compare,
    residual_streams,
    table,
    vectors_of_word,
)


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]

    def decode(self, ids):
        return f" {ids[0]}"


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def test_the_last_vector_is_what_the_final_norm_reads(model):
    (found,) = residual_streams(model, Letters(), ["river"])
    assert found.shape == (len(model.decoder.layers) + 1, model.config.d_model)
    logits = model.head(model.decoder.norm(found[-1:][None]))[0, 0]
    ids = torch.tensor([Letters().encode("river")])
    torch.testing.assert_close(logits, model(ids)[0, -1])


def test_the_first_vector_is_the_embedding_alone(model):
    first, second = residual_streams(model, Letters(), ["ar", "bbr"])[:, 0]
    assert torch.equal(first, second)


def test_no_hook_stays_in_the_model(model):
    residual_streams(model, Letters(), ["river"])
    assert not any(layer._forward_hooks for layer in model.decoder.layers)


def test_every_sentence_gives_a_vector_of_the_word(model):
    found = vectors_of_word(model, Letters(), " dog")
    assert {name: len(vectors) for name, vectors in found.items()} == {
        name: len(sentences) for name, sentences in BEFORE.items()
    }
    (alone,) = residual_streams(model, Letters(), [BEFORE["money"][2] + " dog"])
    torch.testing.assert_close(found["money"][2], alone)


def test_agreement_by_hand():
    right, up, slant = ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0])
    found = {
        "one": [torch.tensor([right, right]), torch.tensor([right, up])],
        "two": [torch.tensor([right, slant]), torch.tensor([right, slant])],
    }
    same, different = agreement(found)
    assert same.tolist() == pytest.approx([1.0, 0.5])
    assert different.tolist() == pytest.approx([1.0, math.sqrt(0.5)])


def test_words_are_compared_each_with_its_own_vectors(model):
    found = compare(model, Letters(), ["bank", "dog"])
    alone = agreement(vectors_of_word(model, Letters(), " dog"))
    assert [*found] == ["bank", "dog"]
    assert torch.equal(torch.stack(found["dog"]), torch.stack(alone))


def test_the_table_has_a_row_for_each_word_and_topic():
    cosines = torch.tensor([1.0, 0.5]), torch.tensor([1.0, 0.254])
    made = table({"bank": cosines}, layers=[0, 1])
    assert made.head == ["layers read", "0", "1"]
    assert made.rows == [
        ["bank, same topic", "1.00", "0.50"],
        ["bank, other topic", "1.00", "0.25"],
    ]
