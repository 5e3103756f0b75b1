"""Continuations of a small language model, and what is told of them."""

import torch

from chapters.decoding import continuations
from chapters.decoding.continuations import (
    AHEAD,
    CONTINUATIONS,
    NEW,
    PROMPT,
    guesses,
    letters,
    measured,
    prompts,
    repeated,
    write,
)
from chapters.laboratory.language import ALPHABET, dictionary
from chapters.laboratory.language_model import LENGTH, language_model
from chapters.laboratory.recipe import Trained


def test_repeated_groups_are_counted_within_a_text():
    texts = torch.tensor([[1, 2, 1, 2, 1, 2], [1, 2, 3, 4, 5, 6]])
    assert repeated(texts, size=2) == (5 - 2) / 10


def test_each_way_of_writing_goes_on_with_the_prompt():
    model, (prompt, real) = language_model(seed=0).eval(), prompts(3)
    assert real.shape == (3, NEW)
    assert PROMPT + NEW == LENGTH
    for choices in CONTINUATIONS.values():
        texts = write(model, prompt, max_new_tokens=5, seed=1, **choices)
        assert texts.shape == (3, 5)


def test_the_model_as_its_own_draft_is_always_right(monkeypatch):
    monkeypatch.setattr(continuations, "NEW", 24)
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


def test_every_way_and_every_number_of_guesses_is_told(monkeypatch):
    monkeypatch.setattr(continuations, "NEW", 24)
    row = measured("language model", 3e-3, 8, 5)
    ways = {name.rpartition(" ")[0] for name in row.keys() - {"validation"}}
    assert ways == {"real text", *CONTINUATIONS, *map(str, AHEAD)}
    assert row["greedy nats"] < row["T = 1 nats"]


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    model = language_model(seed=0)
    monkeypatch.setattr(
        continuations,
        "train_for_study",
        lambda **_: Trained(model, [], diverged=True),
    )
    row = measured("language model", 1e-2, 8, 5)
    assert row == {"validation": float("inf")}
