"""Each way of learning moves what it should, and the study is complete."""

import pytest
import torch

from chapters.manners.forgetting import (
    ADAPTER,
    ALL,
    RANK,
    REPLAY,
    STUDY,
    VARIANTS,
    learn,
    measured,
    on_the_web,
    prepared,
)
from chapters.manners.reader import reader
from transformer.training import list_adapter

SETTING = {"learning_rate": 3e-3, "steps": 10, "seed": 3}


def test_a_measurement_repeats_to_the_last_bit():
    found = measured(ADAPTER, **SETTING)
    torch.rand(7)
    assert measured(ADAPTER, **SETTING) == found
    assert {*found, "seconds", "variant", *SETTING} == {*STUDY.rows[0]}


def test_an_adapter_stands_on_each_map_of_each_layer():
    model = reader()
    learning = prepared(ADAPTER, model, seed=0)
    parts = list_adapter(model)
    assert len(parts) == 2 * 6
    assert {part.rank for part in parts} == {RANK}
    assert sum(map(torch.numel, learning)) == sum(part.parameters for part in parts)


@pytest.mark.parametrize("variant", [ALL, REPLAY])
def test_otherwise_every_weight_learns(variant):
    model = reader()
    assert len(prepared(variant, model, seed=0)) == len([*model.parameters()])


def test_old_sums_are_forgotten_less_where_they_come_again():
    found = {name: on_the_web(learn(name, **SETTING)) for name in (ALL, REPLAY)}
    assert on_the_web(reader()) < found[REPLAY] < found[ALL]


def test_the_study_is_complete():
    assert STUDY.variants == VARIANTS
    assert list(STUDY.pending(STUDY.rows)) == []
