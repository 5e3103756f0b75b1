"""Stacks of layers answer questions about pairs, and their study is complete."""

import pytest

from chapters.laboratory.fit import same_numbers
from chapters.without_softmax.hybrids import (
    ASKED,
    PAIRS,
    STACKS,
    VOCAB,
    Recaller,
    draw_texts,
)
from transformer.layers import LinearAttention, MultiHeadAttention


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_has_the_layers_that_its_name_says(name):
    mixers, d_head = STACKS[name]
    model = Recaller(mixers, d_head)
    kinds = {"softmax": MultiHeadAttention, "delta": LinearAttention}
    found = [type(layer.self_attention) for layer in model.decoder.layers]
    assert found == [kinds[mixer] for mixer in mixers.split()]
    states = [x for layer in model.decoder.layers
              for x in getattr(layer.self_attention, "state_shapes", ())]  # fmt: skip
    assert all(shape[-2:] == (d_head, d_head) for shape in states)


def test_questions_are_about_pairs_that_were_read():
    with same_numbers(0):
        (keys, values, asked), answers = draw_texts(3)
        scores = Recaller(*STACKS["one of two"])(keys, values, asked)
    assert scores.shape == (3, ASKED, VOCAB)
    for row in range(3):
        known = dict(zip(keys[row].tolist(), values[row].tolist(), strict=True))
        assert len(known) == PAIRS
        assert [known[key] for key in asked[row].tolist()] == answers[row].tolist()
