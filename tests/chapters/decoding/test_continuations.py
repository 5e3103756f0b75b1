"""Continuations of a small language model, and what is told of them."""

import torch

from chapters.decoding.continuations import (
    CONTINUATIONS,
    guesses,
    letters,
    prompts,
    repeated,
    write,
)
from chapters.laboratory.language import ALPHABET, dictionary
from chapters.laboratory.language_model import language_model


def test_repeated_groups_are_counted_within_a_text():
    texts = torch.tensor([[1, 2, 1, 2, 1, 2], [1, 2, 3, 4, 5, 6]])
    assert repeated(texts, size=2) == (5 - 2) / 10


def test_each_way_of_writing_goes_on_with_the_prompt():
    model, (prompt, real) = language_model(seed=0).eval(), prompts(3)
    assert real.shape == (3, 96)
    for choices in CONTINUATIONS.values():
        texts = write(model, prompt, max_new_tokens=5, seed=1, **choices)
        assert texts.shape == (3, 5)


def test_the_model_as_its_own_draft_is_always_right():
    model = language_model(seed=0).eval()
    told = guesses(model, model, 4)
    assert told["accepted"] > 0.99
    assert told["passes"] < 0.25


def test_words_are_looked_up_in_the_dictionary():
    word, *_ = dictionary()[0]
    text = f"zzz {word} qq {word} ".replace("q", "z")
    ids = torch.tensor([[ALPHABET.index(letter) + 1 for letter in text]])
    told = letters(language_model(seed=0).eval(), prompts(1)[0], ids)
    assert told["text"] == text
    assert told["words"] == 0.5  # the first and the last may be cut
    assert told["nats"] > 0
