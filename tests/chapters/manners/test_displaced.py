"""The course of a preference starts where it must, and is stored as a whole."""

import math

import pytest

from chapters.manners.displaced import (
    CHOSEN,
    MEASUREMENTS,
    RATES,
    REJECTED,
    STEPS,
    WATCHED,
    course,
)
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer


class Words:
    """A tokenizer with a number for each word, and a question of three."""

    def chat(self, messages):
        return [5, 6, 7]

    def encode(self, text):
        return [1 + WATCHED.index(text)]


def test_a_course_begins_at_the_reference_and_leaves_the_model_as_it_was():
    config = TransformerConfig.decoder_only(
        vocab_size=11, d_model=8, d_ff=16, num_heads=2, num_decoder_layers=1
    )
    model = DecoderOnlyTransformer(config).eval()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    rows = list(course(model, Words(), rate=1e-2))
    assert [row["step"] for row in rows] == [*range(STEPS + 1)]
    assert rows[0]["loss"] == pytest.approx(math.log(2))
    odds = [row[CHOSEN] / row[REJECTED] for row in rows]
    assert odds[-1] > odds[0]
    after = model.state_dict()
    assert all(bool((after[name] == old).all()) for name, old in before.items())


def test_the_file_holds_both_courses():
    rows = MEASUREMENTS.read()
    for rate in RATES:
        found = [row for row in rows if row["rate"] == rate]
        assert [row["step"] for row in found] == [*range(STEPS + 1)]
        assert found[0]["loss"] == pytest.approx(math.log(2), abs=1e-4)
        losses = [row["loss"] for row in found]
        assert losses == sorted(losses, reverse=True)
