"""The small translator of the big picture, and the file of its results."""

from itertools import product

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.big_picture.experiments import (
    MEASUREMENTS,
    SEEDS,
    STEPS,
    VARIANTS,
    ambiguous,
    cross_weights,
    curves,
    measured,
    new_translator,
    rounds,
    shifted,
    tokens_of,
    train_translator,
)
from chapters.laboratory.number_words import numbers
from transformer.data import BOS_ID, Batch, Pair, encode_pairs


@pytest.fixture
def batch():
    splits, tokenizer = numbers()
    return Batch.of(encode_pairs(splits.test[:3], tokenizer))


def test_the_whole_model_reads_the_target_one_step_late(batch):
    (_, read), said = shifted(batch)
    assert (read[:, 0] == BOS_ID).all()
    real = said[:, :-1] >= 0
    assert torch.equal(read[:, 1:][real], said[:, :-1][real])


def test_without_the_shift_the_model_reads_what_it_must_say(batch):
    (_, read), said = shifted(batch, "not shifted")
    assert torch.equal(read[said >= 0], said[said >= 0])


@facts("variant", VARIANTS)
def test_a_training_repeats_to_the_last_bit(variant):
    first = train_translator(variant, seed=7, steps=2)[1]
    torch.rand(5)
    assert train_translator(variant, seed=7, steps=2)[1] == first


def test_only_one_variant_lacks_positions():
    assert new_translator("no positions", seed=0).embedding.positions is None
    assert new_translator("not shifted", seed=0).embedding.positions is not None


def test_ambiguous_numbers_are_those_whose_ones_can_be_swapped():
    found = ambiguous()
    assert 0 < len(found) < len(numbers()[0].test)
    for source, _ in found:
        hundreds, hundred, and_, ones = source.split()
        assert (hundred, and_) == ("hundred", "and")
        assert hundreds != ones


def test_weights_have_a_row_for_each_token_that_is_read():
    pair = Pair("two hundred", "deux cents")
    source, target = tokens_of(pair)
    assert (source, target) == (["two", "hundred", "end"], ["begin", "deux", "cents"])
    for weights in cross_weights(new_translator(seed=1), pair):
        assert weights.shape == (4, 3, 3)
        assert torch.allclose(weights.sum(dim=-1), torch.ones(4, 3))


def test_a_measurement_looks_before_the_first_step_and_after_the_last():
    row = measured("whole", 7, steps=2)
    assert row["step"] == [0, 2]
    assert {*row} == {"step", "tokens", "exact", "ambiguous", "loss"}


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    found = [(row["variant"], row["seed"]) for row in rows]
    assert found == list(product(VARIANTS, SEEDS))
    assert found == [(setting["variant"], setting["seed"]) for setting in rounds()]
    assert rows[0]["step"][-1] == STEPS
    assert "weights" in rows[0]


def test_curves_have_a_row_for_each_seed():
    rows = MEASUREMENTS.read()
    found = curves(rows, "exact")
    assert {*found} == {*VARIANTS}
    assert found["whole"].shape == (len(SEEDS), len(rows[0]["step"]))
