"""The chapter's tree is a model in which the best first step misleads."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding.tables import AFTER, END, WORDS, TableModel, as_matrix, as_words
from transformer.decoding import beam_search


def test_probabilities_after_each_word_sum_to_one():
    torch.testing.assert_close(as_matrix(AFTER).sum(dim=1), torch.ones(len(WORDS)))
    assert WORDS[0] == "Alice"
    assert WORDS[-1] == END


def test_each_word_has_one_place_in_the_tree():
    following = [word for row in AFTER.values() for word in row]
    assert sorted(following) == sorted(set(following))
    assert set(following) == set(WORDS) - {"Alice", END}


def test_a_matrix_has_the_next_word_in_the_column():
    matrix = as_matrix(AFTER)
    very, tired = WORDS.index("very"), WORDS.index("tired")
    assert matrix[very, tired].item() == pytest.approx(0.7)
    assert matrix[tired, WORDS.index(END)].item() == 1


def test_a_text_ends_before_the_end():
    saw, slept, end = (WORDS.index(word) for word in ("saw", "slept", END))
    assert as_words([0, slept, end, end]) == "Alice slept"
    assert as_words([0, saw]) == "Alice saw"


@facts("kind", [torch.float32, torch.float64])
@facts(
    "width, text, share",
    [(1, "saw a rabbit", 0.14), (2, "was very tired", 0.189), (3, "slept", 0.2)],
)
def test_each_width_finds_another_text(width, text, share, kind):
    model, start = TableModel(as_matrix(AFTER).to(kind)), torch.tensor([[0]])
    room = {"max_new_tokens": 4, "length_penalty": 0.0, "eos_id": WORDS.index(END)}
    found = beam_search(model, start, beam_width=width, use_cache=False, **room)
    assert as_words(found.tokens[0, 0].tolist()) == text
    assert abs(found.scores.exp().item() - share) < 1e-6
