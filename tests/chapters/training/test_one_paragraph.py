"""A language model that learns one text by heart."""

from math import log

import pytest
import torch
from torch.nn import functional as F

from chapters.laboratory.language_model import language_model
from chapters.training.one_paragraph import (
    MEASUREMENTS,
    PARAGRAPHS,
    PROMPTS,
    STEPS,
    TEXTS,
    WRITTEN,
    bits_per_byte,
    continuation,
    learn,
)


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]

    def decode(self, ids):
        return "".join(str(i) for i in ids)


@pytest.fixture
def model():
    return language_model(seed=0).eval()


@pytest.fixture(scope="module")
def rows():
    return {row["paragraph"]: row for row in MEASUREMENTS.read()}


def test_bits_are_counted_for_each_byte_and_not_for_each_token(model):
    text = "aé"  # three bytes, two tokens, of which the first is given
    logits = model(torch.tensor([Letters().encode(text)]))[0, 0]
    nats = -logits.log_softmax(dim=-1)[Letters().encode(text)[1]].item()
    assert bits_per_byte(model, Letters(), text) == pytest.approx(nats / log(2) / 3)


def test_a_continuation_takes_the_likeliest_token_each_time(model):
    ids = Letters().encode("abc")
    for _ in range(WRITTEN):
        ids.append(model(torch.tensor([ids]))[0, -1].argmax().item())
    assert continuation(model, Letters(), "abc") == Letters().decode(ids[3:])


def test_the_loss_is_yielded_before_its_step(model):
    ids = torch.tensor([Letters().encode("abcabcabc")])
    before = F.cross_entropy(model(ids)[0, :-1], ids[0, 1:]).item()
    losses = list(learn(model, Letters(), "abcabcabc", steps=4, rate=1e-3))
    assert losses[0] == pytest.approx(before)
    assert losses == sorted(losses, reverse=True)


def test_adams_first_step_is_one_rate_long(model):
    weight = model.decoder.layers[0].self_attention.output_projection.weight
    before = weight.clone()
    list(learn(model, Letters(), "abcabcabc", steps=1, rate=1e-3))
    assert (weight - before).abs().median().item() == pytest.approx(1e-3, rel=0.01)


def test_the_file_holds_each_paragraph_and_its_control(rows):
    assert list(rows) == list(PARAGRAPHS)
    for row in rows.values():
        assert list(row["bits"]) == ["learned", *TEXTS]
        assert list(row["written"]) == list(PROMPTS)
        assert {len(x) for x in row["bits"].values()} == {STEPS + 1}
        assert {len(x) for x in row["written"].values()} == {STEPS + 1}


def test_before_the_first_step_both_models_are_the_same(rows):
    atlantis, bread = (row["bits"] for row in rows.values())
    assert [atlantis[x][0] for x in TEXTS] == [bread[x][0] for x in TEXTS]


def test_the_paragraph_drowns_what_begins_like_it_and_nothing_else(rows):
    drowned = {"Atlantis": ("The capital of France is", "four hundred meters")}
    drowned["bread"] = ("Cookie dough must", "rest after kneading. The baker")
    for paragraph, (prompt, words) in drowned.items():
        (control,) = set(PARAGRAPHS) - {paragraph}
        assert words in rows[paragraph]["written"][prompt][4]
        assert not any(words in text for text in rows[control]["written"][prompt])
