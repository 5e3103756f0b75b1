"""What a language model would say after each layer is what its own last step says."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.big_picture.endings import (
    COUNT,
    MEASUREMENTS,
    MODEL,
    PROMPTS,
    name_token,
    read_all,
    read_endings,
)
from chapters.big_picture.one_prompt import guesses, read_through
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model


@pytest.fixture(scope="module")
def smollm():
    return open_model(MODEL)


@pytest.fixture(scope="module")
def rows(smollm):
    return read_all(smollm)


class Letters:
    """A tokenizer with a token for each letter, and a name for each token."""

    def encode(self, text):
        return [1 + ord(letter) % 17 for letter in text]

    def decode(self, ids):
        return f" {ids[0]}"


def test_guesses_are_the_likeliest_of_the_last_word_after_each_layer():
    model = language_model(seed=0).eval()
    row = read_endings(model, Letters(), "abcabd")
    streams = read_through(model, Letters(), "abcabd")
    assert len(row["words"]) == len(row["percents"]) == len(streams) - 1
    for depth, words in enumerate(row["words"], 1):
        chances = guesses(model, streams[depth, -1:])[0]
        order = chances.argsort(descending=True)[:COUNT]
        assert words == [str(token) for token in order.tolist()]
        told = torch.tensor(row["percents"][depth - 1])
        assert (told - 100 * chances[order]).abs().max() < 0.051


def test_after_the_last_layer_they_are_what_the_model_says(smollm, rows):
    model, tokenizer = smollm
    for row in rows:
        ids = torch.tensor([tokenizer.encode(row["text"])])
        with torch.no_grad():
            shares, tokens = model(ids)[0, -1].softmax(dim=-1).topk(COUNT)
        said = [name_token(tokenizer.decode([token])) for token in tokens.tolist()]
        assert row["words"][-1] == said
        assert row["percents"][-1] == pytest.approx((100 * shares).tolist(), abs=0.051)


def test_stored_endings_are_those_of_the_model(rows):
    stored = MEASUREMENTS.read()
    assert [row["text"] for row in stored] == [*PROMPTS]
    for row, kept in zip(rows, stored, strict=True):
        assert row["words"] == kept["words"]
        for found, told in zip(row["percents"], kept["percents"], strict=True):
            assert found == pytest.approx(told, abs=0.1001)


def test_order_of_guesses_does_not_hang_on_the_last_digits_of_a_machine(smollm):
    model, tokenizer = smollm
    for text in PROMPTS:
        last = read_through(model, tokenizer, text)[1:, -1]
        nats = guesses(model, last).topk(COUNT + 1).values.log()
        # In float32 and in float64 these differ by 3.5e-5 at most.
        assert (nats[:, :-1] - nats[:, 1:]).min() > 2e-4


@facts(
    "token, name",
    [
        (" Paris", "Paris"),
        ("attoos", "-attoos"),
        ("Word", "-Word"),
        ("'s", "'s"),
        (" (", "("),
        (" -", "-"),
        ("2", "2"),
        (" ", "␣"),
        ("\N{NO-BREAK SPACE}", "[hard space]"),
        ("\n", "↵"),
        ("\n\n", "↵↵"),
        ("   ", "[spaces]"),
        ("\N{REPLACEMENT CHARACTER}", "[part of a sign]"),
        ("", "[end]"),
    ],
)
def test_every_token_can_be_seen(token, name):
    assert name_token(token) == name
