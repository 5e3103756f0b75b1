"""What is read and drawn for a translation, and how long it may be."""

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.commands import inference
from transformer.commands.flags import TextError
from transformer.commands.inference import translate, understood
from transformer.commands.settings import Settings
from transformer.config import TransformerConfig
from transformer.data import EOS_ID, WordTokenizer
from transformer.models import Transformer

MAX_LEN = 61


@pytest.fixture
def endless():
    """A model whose texts never end, and a tokenizer that counts their tokens."""
    tokenizer = WordTokenizer(["a", "b", "c"])
    tokenizer.decode = lambda ids: str(len(ids))
    sizes = {"d_model": 8, "d_ff": 8, "num_heads": 2, "logits_bias": True}
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    config = TransformerConfig(
        vocab_size=tokenizer.vocab_size, max_len=MAX_LEN, pad_id=0, **layers, **sizes
    )
    model = Transformer(config).eval()
    with torch.no_grad():
        model.head.projection.bias[EOS_ID] = -1e9
    return model, tokenizer


@facts(
    "words, tokens, options",
    # The end of the source counts, and then 50 more, as far as the model can read.
    [
        *((1, 52, {}), (9, 60, {}), (10, 61, {}), (MAX_LEN - 1, 61, {})),
        *((1, 52, {"beam_width": 2}), (1, 52, {"temperature": 2.0, "seed": 3})),
    ],
    ids=str,
)
def test_a_translation_may_be_fifty_tokens_longer_up_to_the_end_of_the_model(
    endless, words, tokens, options
):
    text = " ".join(["a"] * words)
    assert translate(*endless, [text], **options) == [str(tokens)]


def test_each_batch_goes_on_with_the_numbers_of_the_seed(endless, monkeypatch):
    monkeypatch.setattr(inference, "ROWS", 2)
    model, tokenizer = endless[0], WordTokenizer(["a", "b", "c"])
    found, again = (
        translate(model, tokenizer, ["a"] * 4, temperature=4.0, seed=0)
        for _ in range(2)
    )
    assert found[:2] != found[2:]
    assert again == found


def test_the_longest_source_of_a_batch_decides(endless):
    assert translate(*endless, ["a", "a b c", "b"]) == ["54", "54", "54"]


LIMIT = 4  # words that the model reads, and the end of the text


@pytest.fixture
def read():
    """Read a text as a model of numbers with little room does."""
    tokenizer = WordTokenizer.fit(["seven hundred and seventy-seven thousand"])
    sizes = {"d_model": 8, "d_ff": 8, "num_heads": 2, "max_len": LIMIT + 1}
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    config = TransformerConfig(vocab_size=tokenizer.vocab_size, **layers, **sizes)
    model, settings = Transformer(config), Settings(task="numbers")
    return lambda text: understood(model, tokenizer, settings, text)


@facts("text", ["700", "seven HUNDRED"])
def test_a_number_that_fits_is_read_in_words(read, text):
    assert read(text) == "seven hundred"


@facts("text, words", [("777", 5), ("7777", 7), ("seven hundred and seventy-seven", 5)])
def test_a_number_is_too_long_when_its_words_are(read, text, words):
    with pytest.raises(TextError, match=f"at most {LIMIT} tokens, got {words} in 'se"):
        read(text)
