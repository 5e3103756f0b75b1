"""Texts as somebody types them: each is judged alone, by what the model reads."""

from functools import partial

import pytest

from bookkit.checking.facts import facts
from transformer.commands.inference import TextError
from transformer.commands.reading import read_each, understood
from transformer.commands.settings import Settings
from transformer.config import TransformerConfig
from transformer.data import WordTokenizer
from transformer.models import Transformer

LIMIT = 4  # words that the model reads, and the end of the text


@pytest.fixture
def read():
    """Read a text as a model of numbers with little room does."""
    tokenizer = WordTokenizer(["seven", "hundred"])
    config = TransformerConfig(
        vocab_size=tokenizer.vocab_size,
        max_len=LIMIT + 1,
        num_encoder_layers=1,
        num_decoder_layers=1,
        d_model=8,
        d_ff=8,
        num_heads=2,
    )
    return partial(understood, Transformer(config), tokenizer, Settings(task="numbers"))


@facts("text", ["707", "seven hundred and seven"])
def test_a_number_that_fits_is_read_in_words(read, text):
    assert read(text) == "seven hundred and seven"


@facts("text, words", [("777", 5), ("7777", 7), ("seven hundred and seventy-seven", 5)])
def test_a_number_is_too_long_when_its_words_are(read, text, words):
    with pytest.raises(TextError, match=f"at most {LIMIT} tokens, got {words} in 'se"):
        read(text)


def test_a_number_that_is_too_long_does_not_stop_the_others(read):
    good, faults = read_each({1: "7", 2: "777", 3: "700"}, read)
    assert good == {1: "seven", 3: "seven hundred"}
    assert list(faults) == [2]
