"""Norms that forget a direction of what they read."""

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory.changed_norms import norms_become
from chapters.laboratory.language_model import exchange, language_model
from chapters.laboratory.real_model import loss_of, open_model
from chapters.rms_norm.directions import (
    AT_ONCE,
    MEASUREMENTS,
    TEXTS,
    forgetting,
    kinds,
    losses_without,
    shares_read,
    without,
)
from transformer.layers import LayerNorm, RMSNorm

IDS = [3, 1, 4, 1, 5, 9, 2]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, norm="rms").eval()


def test_nothing_is_left_along_the_direction_and_all_else_stays():
    x = torch.tensor([[[3.0, 4.0]], [[3.0, 4.0]]])
    left = without(x, torch.tensor([[2.0, 0.0], [5.0, 5.0]]))
    assert_close(left, torch.tensor([[[0.0, 4.0]], [[-0.5, 0.5]]]))


def test_norms_that_forget_the_mean_are_layer_norms(model):
    rows = torch.tensor([IDS])
    with torch.no_grad(), forgetting(model, torch.full((1, 64), 3.0)):
        found = model(rows)

    def with_layer_norm(norm):
        other = LayerNorm(64, eps=norm.eps)
        other.weight = norm.weight
        return other

    other = language_model(seed=0, norm="rms").eval()
    exchange(other, RMSNorm, with_layer_norm)
    assert_close(found, other(rows))


def test_each_direction_has_the_loss_of_a_run_of_its_own(model):
    directions = torch.randn(AT_ONCE + 3, 64)
    found = losses_without(model, IDS, directions)
    assert found.shape == (AT_ONCE + 3,)
    for place in (0, AT_ONCE, AT_ONCE + 2):
        with forgetting(model, directions[place : place + 1]):
            assert found[place].item() == pytest.approx(loss_of(model, IDS), abs=1e-5)
    assert found.std() > 0


def test_shares_are_those_of_the_vectors_that_are_read(model):
    read = []
    with torch.no_grad(), norms_become(model, lambda _, norm, x: read.append(x[0])):
        model(torch.tensor([IDS]))
    found = shares_read(model, IDS)
    assert found.shape == (5, 7)
    x = read[3][4]
    share = (x.mean() ** 2 / x.square().mean()).item()
    assert found[3, 4].item() == pytest.approx(share)


def test_there_are_as_many_random_directions_as_features():
    found = dict(kinds(7))
    assert {kind: len(rows) for kind, rows in found.items()} == {
        "mean": 1,
        "feature": 7,
        "random": 7,
    }
    assert torch.equal(found["random"], dict(kinds(7))["random"])


def test_the_file_holds_what_the_model_says():
    rows = {row["kind"]: row["rises"] for row in MEASUREMENTS.read()}
    opened = open_model("smollm2-135m")
    if opened is None:
        pytest.skip("the model is not installed")
    model, tokenizer = opened
    tried = dict(kinds(576))
    assert {kind: len(rises) for kind, rises in rows.items()} == {
        kind: len(directions) for kind, directions in tried.items()
    }
    some = torch.stack([tried["mean"][0], tried["feature"][507], tried["random"][3]])
    rises = torch.zeros(3)
    for text in TEXTS.values():
        ids = tokenizer.encode(text)
        rises += (losses_without(model, ids, some) - loss_of(model, ids)) / len(TEXTS)
    stored = [rows["mean"][0], rows["feature"][507], rows["random"][3]]
    # a float32 model of 30 layers, on another machine
    assert rises.tolist() == pytest.approx(stored, abs=0.02)


def test_the_mean_costs_about_as_much_as_a_random_direction():
    rises = {row["kind"]: torch.tensor(row["rises"]) for row in MEASUREMENTS.read()}
    dearer = (rises["random"] > rises["mean"]).float().mean()
    assert 0.3 < dearer < 0.7
