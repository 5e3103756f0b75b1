"""Each way of learning moves what it should, and every training is stored."""

import copy

import pytest
import torch

from chapters.manners.lessons import (
    ADAPTER,
    ALL,
    MEASUREMENTS,
    RANK,
    SEEDS,
    WHOLE,
    at_best,
    learn,
    loss_of,
    pending,
    prepared,
)
from transformer.data.answers import answer_batch, mark_answer
from transformer.models import DecoderOnlyTransformer
from transformer.training import list_adapter
from transformer.zoo import llama

SETTING = {"rate": 1e-2, "steps": 8, "seed": 3}
NEW = [mark_answer([5, 6, 7], [n, 9, 2]) for n in (3, 4, 8, 10, 11)]


@pytest.fixture
def model():
    torch.manual_seed(0)
    sizes = {"vocab_size": 13, "d_model": 16, "d_ff": 24, "num_heads": 2}
    return DecoderOnlyTransformer(llama.preset(**sizes, num_decoder_layers=2)).eval()


def test_an_adapter_stands_on_queries_and_values(model):
    learning = prepared(ADAPTER, model, seed=0)
    parts = list_adapter(model)
    assert len(parts) == 2 * 2
    assert {part.rank for part in parts} == {RANK}
    assert sum(map(torch.numel, learning)) == sum(x.parameters for x in parts)


def test_otherwise_every_weight_learns(model):
    learning = prepared(ALL, model.requires_grad_(False), seed=0)
    assert len(learning) == len([*model.parameters()])
    assert all(weight.requires_grad for weight in learning)


@pytest.mark.parametrize("variant", [ALL, ADAPTER])
def test_each_way_learns_the_answers_and_repeats(variant, model):
    other, before = copy.deepcopy(model), loss_of(model, answer_batch(NEW)).item()
    for one in (model, other):
        learn(variant, one, NEW, **SETTING)
        torch.rand(7)
    found = [loss_of(one, answer_batch(NEW)).item() for one in (model, other)]
    assert found[0] < before
    assert found[0] == found[1]


def test_only_one_way_learns_the_questions(model):
    asked = answer_batch([mark_answer([5, 6], [7])])  # the question of each text
    found = {}
    for variant in (ADAPTER, WHOLE):
        one = copy.deepcopy(model)
        learn(variant, one, NEW, **SETTING)
        found[variant] = loss_of(one, asked).item()
    assert found[WHOLE] < loss_of(model, asked).item() < found[ADAPTER]


def test_the_file_holds_every_training():
    rows = MEASUREMENTS.read()
    assert list(pending(rows)) == []
    assert all(0 <= row["right"] <= 1 and row["alice"] > 0 for row in rows)


def test_what_counts_was_trained_at_the_rate_that_another_seed_chose():
    for variant in (ALL, ADAPTER, WHOLE):
        rows = [row for row in MEASUREMENTS.read() if row["variant"] == variant]
        tried = [row for row in rows if (row["steps"], row["seed"]) == (25, SEEDS[0])]
        best = min(tried, key=lambda row: row["validation"])
        assert {row["rate"] for row in at_best(variant)} == {best["rate"]}
        assert [row["seed"] for row in at_best(variant)] == [*SEEDS[1:]]
