"""Gains in front of feed-forward networks, and maps that have grown."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.rms_norm.gains import gains_before_networks, turned
from chapters.rms_norm.grown_maps import grown

IDS = torch.tensor([[3, 1, 4, 1, 5]])


@pytest.fixture(scope="module")
def model():
    model = language_model(seed=0, norm="rms").eval()
    with torch.no_grad():
        for layer in model.decoder.layers:
            layer.feed_forward_residual.norm.weight.copy_(torch.randn(64))
    return model


def test_gains_are_sizes_of_the_norms_before_the_networks(model):
    found = gains_before_networks(model)
    expected = model.decoder.layers[1].feed_forward_residual.norm.weight.abs()
    assert_close(found[1], expected.detach())
    assert found.shape == (2, 64)


@facts("to", [0.0, None])
def test_a_gain_is_turned_in_the_layers_named_and_turned_back(model, to):
    norms = [layer.feed_forward_residual.norm for layer in model.decoder.layers]
    before = [norm.weight.detach().clone() for norm in norms]
    with turned(model, 5, (2,), to=to):
        expected = before[1].abs().median() if to is None else torch.tensor(0.0)
        assert_close(norms[1].weight[5].detach(), expected)
        assert torch.equal(norms[1].weight[:5], before[1][:5])
        assert torch.equal(norms[0].weight, before[0])
    assert all(torch.equal(n.weight, b) for n, b in zip(norms, before, strict=True))


def test_only_the_product_of_grown_maps_counts(model):
    with torch.no_grad():
        before = model(IDS)
        with grown(model, query=4.0, key=0.25):
            assert_close(model(IDS), before)
        with grown(model, query=4.0, key=1.0):
            one = model(IDS)
        with grown(model, query=1.0, key=4.0):
            assert_close(model(IDS), one)
        assert not torch.allclose(one, before)
        assert torch.equal(model(IDS), before)


def test_grown_queries_are_those_of_grown_weights(model):
    with torch.no_grad():
        with grown(model, query=2.0, key=3.0):
            found = model(IDS)
        other = language_model(seed=0, norm="rms").eval()
        other.load_state_dict(model.state_dict())
        for layer in other.decoder.layers:
            layer.self_attention.query_projection.weight *= 2
            layer.self_attention.key_projection.weight *= 3
        assert_close(found, other(IDS))
