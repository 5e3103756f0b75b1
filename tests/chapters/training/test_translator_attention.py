"""The maps that the explorer of the chapter on training shows."""

import pytest
import torch

from chapters.laboratory.translator import numbers
from chapters.training.experiments import MEASUREMENTS as TRAININGS
from chapters.training.experiments import SHOWN as OF_THE_CHAPTER
from chapters.training.translator_attention import (
    KINDS,
    MEASUREMENTS,
    PERCENT,
    SHOWN,
    every_map,
    measured,
    percents,
)
from transformer.data import english


@pytest.fixture(scope="module")
def rows():
    return MEASUREMENTS.read()


def test_the_command_gives_the_same_maps_again():
    first, again = (measured(steps=51, shown=(23,)) for _ in range(2))
    assert first == again
    assert [row["number"] for row in first] == [23]


def test_the_file_holds_every_number_once_and_none_was_learned(rows):
    assert [row["number"] for row in rows] == [*SHOWN]
    learned = {pair.source for pair in numbers().splits.train}
    assert learned.isdisjoint(english(number) for number in SHOWN)


def test_each_stored_row_sums_to_one_up_to_rounding(rows):
    for row in rows:
        for _, _, _, weights in every_map(row):
            for line in weights:
                assert abs(sum(line) - PERCENT) <= len(line) / 2
                assert min(line) >= 0


def test_a_stored_map_has_a_row_for_each_query_and_a_column_for_each_key(rows):
    sides = {"encoder": ("source",) * 2, "decoder": ("target",) * 2}
    sides["cross"] = ("target", "source")
    for row in rows:
        found = every_map(row)
        assert len(found) == len(KINDS) * 2 * 4  # layers and heads
        for kind, _, _, weights in found:
            queries, keys = (row[side] for side in sides[kind])
            assert [len(weights), {*map(len, weights)}] == [len(queries), {len(keys)}]


def test_no_stored_word_of_the_target_looks_ahead(rows):
    for row in rows:
        for kind, _, _, weights in every_map(row):
            if kind == "decoder":
                ahead = [w for t, line in enumerate(weights) for w in line[t + 1 :]]
                assert set(ahead) == {0}


def test_the_first_sentence_is_the_one_of_the_chapter(rows):
    """Both files come from one training, written by two commands."""
    (stored,) = [row["weights"] for row in TRAININGS.read() if "weights" in row]
    assert english(rows[0]["number"]) == OF_THE_CHAPTER.source
    for layer, heads in enumerate(stored.values()):
        for head, weights in enumerate(heads):
            shown = rows[0]["maps"]["cross"][layer][head]
            for line, exact in zip(shown, weights, strict=True):
                # Five digits of a half percent may round either way.
                assert line == pytest.approx([PERCENT * w for w in exact], abs=0.51)


def test_weights_become_whole_percents():
    assert percents(torch.tensor([[0.123, 0.877], [1.0, 0.0]])) == [[12, 88], [100, 0]]
