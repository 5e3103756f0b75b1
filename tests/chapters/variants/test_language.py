"""The language model with variants of its feed-forward layers, and their study."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.starting_size import SIZE, output_size
from chapters.variants.language import (
    EXPERTS,
    VARIANTS,
    Balanced,
    choices,
    feed_forward_parameters,
    loads,
)
from transformer.layers import MixtureOfExperts, load_balancing_loss

MATCHED = ("ReLU squared", "GLU", "bilinear", "ReGLU", "GEGLU", "SwiGLU", "convolution")


@facts("name", VARIANTS)
def test_what_each_layer_adds_starts_at_the_same_size(name):
    for block in language_model(seed=5, **choices(name)).decoder.layers:
        assert output_size(block.feed_forward, 64) == pytest.approx(SIZE)


@facts("name", MATCHED)
def test_the_compared_layers_cost_what_relu_costs(name):
    relu = feed_forward_parameters("ReLU")
    assert abs(feed_forward_parameters(name) - relu) < 0.002 * relu


def test_the_experts_store_what_the_wide_layer_stores():
    wide = feed_forward_parameters("wide SwiGLU")
    assert feed_forward_parameters("experts") == pytest.approx(wide, rel=0.01)


def test_every_token_asks_its_experts():
    model = language_model(seed=3, **choices("experts"))
    shares = loads(model)
    assert [len(row) for row in shares] == [EXPERTS] * 2
    assert [sum(row) for row in shares] == pytest.approx([2, 2])
    assert loads(model) == shares
    assert loads(language_model(seed=3)) == []


def test_the_router_gets_the_gradient_of_both_losses():
    torch.manual_seed(0)
    plain = MixtureOfExperts(5, 7, num_experts=3).double()
    balanced = Balanced(5, 7, num_experts=3).double()
    balanced.load_state_dict(plain.state_dict())
    x, direction = torch.randn(2, 11, 5).double(), torch.randn(2, 11, 5).double()
    (balanced(x) * direction).sum().backward()
    both = (plain(x) * direction).sum() + Balanced.factor * load_balancing_loss(
        plain.route(x).logits, experts_per_token=2
    )
    both.backward()
    for one, other in zip(balanced.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


def test_without_gradients_the_balance_does_nothing():
    layer = Balanced(5, 7, num_experts=3).double()
    x = torch.randn(2, 11, 5).double()
    with torch.no_grad():
        assert layer(x).equal(MixtureOfExperts.forward(layer, x))
        assert not layer.route(x).logits.requires_grad
