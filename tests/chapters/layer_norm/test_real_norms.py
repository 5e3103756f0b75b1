"""Norms of a model that are watched, frozen or flattened."""

import math
from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.changed_norms import norms_become, size
from chapters.laboratory.language_model import exchange, language_model
from chapters.laboratory.real_model import loss_of, open_model
from chapters.layer_norm.real_norms import (
    MEASUREMENTS,
    TEXTS,
    frozen,
    losses_frozen,
    measured,
    sizes_read,
    stored_losses,
    with_one_gain,
)
from transformer.layers import LayerNorm, RMSNorm

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def with_rms_norm(model):
    exchange(model, LayerNorm, lambda norm: RMSNorm(norm.weight.size(0)))


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, change=with_rms_norm).eval()


def test_every_norm_is_heard_and_the_model_is_as_before(model):
    before = model(IDS)
    found = sizes_read(model, IDS)
    assert found.shape == (5, 2, 5)
    assert_close(found[0], size(model.embedding(IDS))[..., 0])
    assert torch.equal(model(IDS), before)


def test_sizes_are_those_of_the_norms_as_they_are(model):
    with norms_become(model, lambda number, norm, x: 0 * x):
        found = sizes_read(model, IDS)
    assert_close(found[1:], found[:1].expand(4, -1, -1))  # nothing is added


@facts("only", [None, (0, 1), (2, 3)])
def test_frozen_norms_divide_by_the_number(model, only):
    divisors, x = torch.arange(2.0, 7.0), torch.randn(2, 5, 64)
    norm = model.decoder.layers[1].feed_forward_residual.norm
    with frozen(model, divisors, only=only):
        y = norm(x)
    assert_close(y[:, 0], norm(x)[:, 0])
    changed = only in (None, (2, 3))
    assert_close(y[:, 1:], x[:, 1:] / 5 if changed else norm(x)[:, 1:])


def test_spared_tokens_are_divided_by_their_own_size(model):
    x, norm = torch.randn(2, 5, 64), model.decoder.norm
    with frozen(model, torch.full((5,), 7.0), spared=(0, 3)):
        y = norm(x)
    assert_close(y[:, [0, 3]], norm(x)[:, [0, 3]])
    assert_close(y[:, 1], x[:, 1] / 7)


def test_losses_are_those_of_the_norms_named(model):
    ids = IDS[1].tolist()
    sizes = sizes_read(model, IDS[1:])[:, 0]
    means = sizes[:, 1:].mean(dim=1)
    found = losses_frozen(model, ids)
    assert found["own divisors"] == loss_of(model, ids)
    with frozen(model, means, only=(1, 3)):
        assert found["frozen before feed-forward"] == loss_of(model, ids)
    with frozen(model, means, only=(0, 2)):
        assert found["frozen before attention"] == loss_of(model, ids)
    with frozen(model, means):
        assert found["all frozen"] == loss_of(model, ids)
    assert len(set(found.values())) == 6


def test_the_spared_stand_out_the_most(model):
    ids = IDS[1].tolist()
    sizes = sizes_read(model, IDS[1:])[:, 0]
    means = sizes[:, 1:].mean(dim=1)
    out = (sizes[:, 1:] / means[:, None]).max(dim=0).values
    first, second = (1 + out.argsort(descending=True)[:2]).tolist()
    found = losses_frozen(model, ids)
    with frozen(model, means, spared=(0, first)):
        assert found["all but the largest word"] == loss_of(model, ids)
    with frozen(model, means, spared=(0, first, second)):
        assert found["all but the two largest"] == loss_of(model, ids)


def test_one_gain_is_the_mean_of_all(model):
    norm = RMSNorm(2, eps=1e-12)
    norm.weight.data = torch.tensor([1.0, 3.0])
    with with_one_gain(norm):
        y = norm(torch.tensor([1.0, 1.0]))
    assert_close(y, torch.tensor([2.0, 2.0]))


def test_the_file_has_each_text_with_every_kind(model):
    kinds = list(losses_frozen(model, IDS[1].tolist()))
    assert {name: list(found) for name, found in stored_losses().items()} == (
        dict.fromkeys(TEXTS, kinds)
    )


def test_what_is_no_number_is_stored_as_none(monkeypatch):
    found = {"own divisors": 3.0, "all frozen": math.nan, "other": math.inf}
    monkeypatch.setattr(
        "chapters.layer_norm.real_norms.losses_frozen", lambda *_: found
    )
    row = measured(None, SimpleNamespace(encode=list), "clerk")
    assert list(row["losses"].values()) == [3.0, None, None]
    rows = [row | {"losses": {"all frozen": None, "own divisors": 3.0}}]
    monkeypatch.setattr(type(MEASUREMENTS), "read", lambda self: rows)
    lost, own = stored_losses()["clerk"].values()
    assert math.isnan(lost)
    assert own == 3.0


def test_stored_losses_are_those_of_the_model():
    found = measured(*open_model("smollm2-135m"), "lighthouse")
    (row,) = (row for row in MEASUREMENTS.read() if row["text"] == "lighthouse")
    for kind, loss in row["losses"].items():
        # a float32 model of 30 layers, on another machine
        assert found["losses"][kind] == pytest.approx(loss, abs=0.02)
