"""Texts of random words, written twice, and heads that fall silent."""

from types import SimpleNamespace

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model, streams_of
from chapters.multi_head_attention.copying import (
    MEASUREMENTS,
    OTHERS,
    TEXTS,
    WORDS,
    is_word,
    ordinary_loss,
    read_twice,
    share_back,
    switched_off,
    without_head,
    words_twice,
)


class Names:
    """A tokenizer in which every second token is a word."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]

    def decode(self, ids):
        return " word" if ids[0] % 2 else "?"


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


@pytest.fixture(scope="module")
def ids():
    return torch.tensor([[1, 2, 3, 4, 1, 2, 3, 4], [5, 3, 1, 2, 5, 3, 1, 2]])


@facts("text", [" cat", " keys"])
def test_words_are_tokens_after_a_space(text):
    assert is_word(text)


@facts("text", ["cat", " Cat", " at", " c4t", " caf\u00e9", " a b", ""])
def test_other_tokens_are_no_words(text):
    assert not is_word(text)


def test_each_text_comes_twice_and_repeats_no_word():
    model = SimpleNamespace(config=SimpleNamespace(vocab_size=2 * WORDS + 8))
    texts = words_twice(model, Names())
    assert texts.shape == (TEXTS, 2 * WORDS)
    assert torch.equal(texts[:, :WORDS], texts[:, WORDS:])
    assert (texts % 2 == 1).all()
    assert all(len(set(text.tolist())) == WORDS for text in texts)


def test_a_head_that_is_off_leaves_out_its_term_of_the_sum(model, ids):
    attention = model.decoder.layers[0].self_attention
    kept = {}

    def keep(module, inputs, output):
        kept["output"] = output

    hook = attention.output_projection.register_forward_hook(keep)
    model(ids)
    whole = kept["output"]
    terms = []
    for head in range(1, attention.num_heads + 1):
        with switched_off(model, [(1, head)]):
            model(ids)
        terms.append(whole - kept["output"])
    hook.remove()
    bias = attention.output_projection.bias
    rest = 0 if bias is None else bias
    torch.testing.assert_close(sum(terms) + rest, whole, atol=1e-5, rtol=1e-5)
    assert all(term.abs().max() > 0 for term in terms)


def test_heads_speak_again_afterwards(model, ids):
    before = model(ids)
    with switched_off(model, [(1, 1), (2, 2)]):
        assert not torch.equal(model(ids), before)
    assert torch.equal(model(ids), before)


def test_losses_are_those_of_cross_entropy_without_the_first_word_of_a_half(model, ids):
    found = read_twice(model, ids)
    each = torch.nn.functional.cross_entropy(
        model(ids)[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none"
    )
    assert found["first"] == pytest.approx(each[:, :3].mean().item(), abs=1e-5)
    assert found["second"] == pytest.approx(each[:, 4:].mean().item(), abs=1e-5)
    guesses = model(ids).argmax(dim=-1)[:, 4:7]
    assert found["right"] == pytest.approx((guesses == ids[:, 5:]).double().mean())


def test_layers_whose_stream_is_known_are_not_asked_again(model, ids):
    found = read_twice(model, ids)
    streams = streams_of(model, ids)[:2]
    assert read_twice(model, ids, streams=streams) == pytest.approx(found)
    with switched_off(model, [(1, 1)]):
        assert read_twice(model, ids, streams=streams) == pytest.approx(found)
        assert read_twice(model, ids) != pytest.approx(found)


def test_the_ordinary_text_has_one_loss(model):
    assert ordinary_loss(model, Names()) > 0


def test_the_share_back_is_taken_in_the_second_half():
    weights = torch.zeros(1, 4, 4)
    weights[0, 2, 1], weights[0, 3, 2], weights[0, 1, 0] = 0.5, 1.0, 0.25
    assert share_back(weights, 1) == pytest.approx(0.75)


def test_without_a_head_is_with_that_head_switched_off(model, ids):
    found = without_head(model, ids, (2, 1), streams=streams_of(model, ids)[:2])
    with switched_off(model, [(2, 1)]):
        expected = read_twice(model, ids)
    assert found["off"] == [2, 1]
    for name in ("right", "second"):
        assert found[name] == pytest.approx(expected[name])


def test_the_file_has_the_other_heads_of_the_layer():
    rows = MEASUREMENTS.read()
    assert [tuple(row["off"]) for row in rows] == OTHERS
    assert all(set(row) == {"off", "right", "second"} for row in rows)


def test_a_stored_head_is_worth_what_the_model_says():
    smollm, row = open_model("smollm2-135m"), MEASUREMENTS.read()[0]
    found = without_head(smollm.model, words_twice(*smollm), tuple(row["off"]))
    for name in ("right", "second"):
        # a word of 120 may be named or not on another machine
        assert found[name] == pytest.approx(row[name], abs=0.02)
