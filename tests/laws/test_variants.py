"""The laws of the chapter on variants, for random sizes, weights and routings."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    ConvFeedForward,
    GatedFeedForward,
    PositionwiseFeedForward,
    gated_width,
    get_activation,
    load_balancing_loss,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
EACH_GATE = facts("activation", ["relu", "gelu", "gelu_tanh", "silu"])
D_MODEL, D_FF, TIME = 5, 7, 11
seeds = st.integers(0, 10_000)


def draw(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def randomize(module, seed=0):
    module = module.double()
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(draw(*parameter.shape, seed=100 * seed + number))
    return module


def weights(layer):
    return sum(p.numel() for p in layer.parameters() if p.dim() == 2)


@given(d_ff=st.integers(2, 500), d_model=st.integers(1, 13), m=st.integers(1, 64))
@settings(max_examples=50, deadline=None)
def test_two_thirds_of_the_width_cost_the_same(d_ff, d_model, m):
    ungated = 2 * d_model * d_ff
    width = gated_width(d_ff)
    assert ungated - 3 * d_model * width == d_model * (2 * d_ff % 3)
    extra = 3 * d_model * (gated_width(d_ff, multiple_of=m) - width)
    assert 0 <= extra < 3 * d_model * m


def test_the_count_is_that_of_the_layers():
    gated = GatedFeedForward(D_MODEL, gated_width(3 * D_FF))
    assert weights(gated) == weights(PositionwiseFeedForward(D_MODEL, 3 * D_FF))


@EACH_GATE
@given(u=st.floats(-30, 30), v=st.floats(-30, 30))
@settings(max_examples=25)
def test_two_gated_units_multiply(activation, u, v):
    f = get_activation(activation)
    u, v = (torch.tensor(number, dtype=torch.float64) for number in (u, v))
    assert_close(f(u) * v + f(-u) * (-v), u * v, rtol=1e-11, atol=1e-11)


@EACH_GATE
def test_a_gated_layer_contains_the_ungated_one(activation):
    plain = randomize(PositionwiseFeedForward(D_MODEL, D_FF, activation=activation))
    gated = GatedFeedForward(D_MODEL, D_FF, activation=activation, bias=True).double()
    gated.gate_projection = plain.up_projection
    gated.down_projection = plain.down_projection
    nn.init.zeros_(gated.up_projection.weight)
    nn.init.ones_(gated.up_projection.bias)
    x = draw(2, TIME, D_MODEL, seed=1)
    assert_close(gated(x), plain(x), **EXACT)


def test_reglu_contains_squared_relu():
    plain = randomize(PositionwiseFeedForward(D_MODEL, D_FF, activation="squared_relu"))
    gated = GatedFeedForward(D_MODEL, D_FF, activation="relu", bias=True).double()
    gated.gate_projection = gated.up_projection = plain.up_projection
    gated.down_projection = plain.down_projection
    x = draw(2, TIME, D_MODEL, seed=1)
    assert_close(gated(x), plain(x), **EXACT)


@given(seed=seeds, c=st.floats(-5, 5))
@settings(max_examples=25, deadline=None)
def test_a_bilinear_layer_is_a_quadratic_form(seed, c):
    layer = randomize(GatedFeedForward(D_MODEL, D_FF, activation="identity"), seed)
    x = draw(TIME, D_MODEL, seed=seed)
    assert_close(layer(c * x), c * c * layer(x), rtol=1e-9, atol=1e-9)


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_a_relu_layer_is_straight_almost_everywhere_on_a_line(seed):
    layer = randomize(PositionwiseFeedForward(2, D_FF), seed)
    t = torch.linspace(-3, 3, 1001, dtype=torch.float64)[:, None]
    second = layer(t.expand(-1, 2)).diff(dim=0).diff(dim=0).abs().amax(dim=1)
    # A kink between two points bends two second differences at most.
    assert (second > 1e-9).sum() <= 2 * D_FF


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_small_inputs_and_large_weights_multiply_nearly(seed):
    u, v = draw(TIME, seed=seed), draw(TIME, seed=seed + 1)
    small, silu, sigmoid = 1e-3, get_activation("silu"), get_activation("sigmoid")

    def even(z):
        return silu(small * z) + silu(-small * z)

    two = 2 / small * (sigmoid(small * u) - sigmoid(-small * u)) * v
    four = (even(u + v) - even(u - v)) / (2 * small**2)
    assert_close(two, u * v, rtol=0, atol=1e-3)
    assert_close(four, u * v, rtol=0, atol=1e-3)


@facts("activation", ["relu", "gelu", "gelu_tanh", "silu", "sigmoid"])
@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_layers_that_cannot_multiply_grow_in_proportion_only(activation, seed):
    kind = GatedFeedForward if activation == "sigmoid" else PositionwiseFeedForward
    layer = randomize(kind(2, D_FF, activation=activation, bias=True), seed)
    up, down = layer.up_projection, layer.down_projection
    for t in (1.0, 1e3, 1e6):
        bound = up.weight.abs().sum(dim=1) * t + up.bias.abs()  # of |a t + b|
        limit = down.weight.abs() @ bound + down.bias.abs()
        y = layer(torch.full((1, 2), t, dtype=torch.float64))[0]
        assert (y.abs() <= limit * (1 + 1e-9)).all()


@given(layers=st.integers(1, 3), kernel_size=st.integers(1, 4))
@settings(max_examples=12, deadline=None)
def test_a_stack_looks_back_as_far_as_its_kernels_add_up_to(layers, kernel_size):
    stack = nn.Sequential(
        *(
            randomize(
                ConvFeedForward(
                    D_MODEL, D_FF, kernel_size=kernel_size, activation="silu"
                ),
                seed,
            )
            for seed in range(layers)
        )
    )
    x, t = draw(1, 13, D_MODEL), 2
    changed = x.clone()
    changed[:, t] += 1
    seen = (stack(changed) != stack(x)).any(dim=-1)[0].nonzero().flatten().tolist()
    assert seen == list(range(t, min(13, t + layers * (kernel_size - 1) + 1)))


@given(seed=seeds, asked=st.integers(1, 5))
@settings(max_examples=25)
def test_even_probabilities_have_the_loss_of_the_experts_asked(seed, asked):
    row = draw(5, seed=seed)
    logits = torch.stack([row.roll(i) for i in range(5)])
    loss = load_balancing_loss(logits, experts_per_token=asked)
    assert_close(loss.item(), float(asked), **EXACT)


@given(seed=seeds, asked=st.integers(1, 5))
@settings(max_examples=25)
def test_the_loss_lies_between_zero_and_the_number_of_experts(seed, asked):
    logits = 5 * draw(13, 5, seed=seed)
    loss = load_balancing_loss(logits, experts_per_token=asked)
    # With all experts asked the loss is their number, up to rounding.
    assert 0 < loss <= 5 + EXACT["atol"]


def test_the_loss_may_be_lower_than_at_even_shares():
    p = torch.tensor([[0.51, 0.49], [0.51, 0.49], [0.01, 0.99]], dtype=torch.float64)
    loss = load_balancing_loss(p.log(), experts_per_token=1)
    shares, means = (2 / 3, 1 / 3), p.mean(dim=0).tolist()
    by_hand = 2 * sum(f * m for f, m in zip(shares, means, strict=True))
    assert loss.item() == pytest.approx(by_hand)
    assert by_hand < 0.9
