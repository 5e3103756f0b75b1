"""Norms of a model that are watched, frozen or flattened."""

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory.language_model import exchange, language_model
from chapters.layer_norm.real_norms import (
    frozen,
    norms_become,
    size,
    sizes_read,
    with_one_gain,
)
from transformer.layers import LayerNorm, RMSNorm

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def with_rms_norm(model):
    exchange(model, LayerNorm, lambda norm: RMSNorm(norm.weight.size(0)))


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, change=with_rms_norm).eval()


def test_the_size_is_the_root_mean_square():
    assert_close(size(torch.tensor([[3.0, 4.0]])), torch.tensor([[12.5**0.5]]))


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


def test_a_norm_becomes_what_it_is_told_and_is_restored(model):
    before = model(IDS)
    with norms_become(model, lambda number, norm, x: 0 * x):
        assert model.decoder.norm(torch.ones(1, 64)).abs().max() == 0
    assert torch.equal(model(IDS), before)


@pytest.mark.parametrize("layer", [None, 1, 2])
def test_frozen_norms_divide_by_the_number(model, layer):
    divisors, x = torch.arange(2.0, 7.0), torch.randn(2, 5, 64)
    norm = model.decoder.layers[1].feed_forward_residual.norm
    with frozen(model, divisors, layer=layer):
        y = norm(x)
    assert_close(y[:, 0], norm(x)[:, 0])
    changed = layer in (None, 2)
    assert_close(y[:, 1:], x[:, 1:] / 5 if changed else norm(x)[:, 1:])


def test_spared_tokens_are_divided_by_their_own_size(model):
    x, norm = torch.randn(2, 5, 64), model.decoder.norm
    with frozen(model, torch.full((5,), 7.0), spared=(0, 3)):
        y = norm(x)
    assert_close(y[:, [0, 3]], norm(x)[:, [0, 3]])
    assert_close(y[:, 1], x[:, 1] / 7)


def test_one_gain_is_the_mean_of_all(model):
    norm = RMSNorm(2, eps=1e-12)
    norm.weight.data = torch.tensor([1.0, 3.0])
    with with_one_gain(norm):
        y = norm(torch.tensor([1.0, 1.0]))
    assert_close(y, torch.tensor([2.0, 2.0]))
