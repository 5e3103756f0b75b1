"""The chapter's tree is a model in which the best first step misleads."""

import pytest
import torch

from chapters.decoding.tables import AFTER, WORDS, Table, as_matrix
from transformer.decoding import beam_search


def test_probabilities_after_each_word_sum_to_one():
    torch.testing.assert_close(as_matrix(AFTER).sum(dim=1), torch.ones(len(WORDS)))
    assert WORDS[0] == "I am"


def test_a_matrix_has_the_next_word_in_the_column():
    matrix = as_matrix(AFTER)
    very, tired = WORDS.index("very"), WORDS.index("tired")
    assert matrix[very, tired].item() == pytest.approx(0.8)
    assert matrix[tired, tired].item() == 1


def test_greedy_decoding_and_a_beam_of_two_part():
    model, start = Table(as_matrix(AFTER).double()), torch.tensor([[0]])
    room = {"max_new_tokens": 2, "length_penalty": 0.0, "use_cache": False}
    for width, text, share in ((1, "a dog", 0.15), (2, "very tired", 0.24)):
        found = beam_search(model, start, beam_width=width, **room)
        assert " ".join(WORDS[token] for token in found.tokens[0, 0]) == text
        assert abs(found.scores.exp().item() - share) < 1e-6
