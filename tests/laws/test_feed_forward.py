"""The laws of the chapter on the feed-forward network, for random networks."""

from math import log

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import ACTIVATIONS, GatedFeedForward, PositionwiseFeedForward

EXACT = {"rtol": 1e-9, "atol": 1e-9}
D_MODEL, D_FF, TIME = 5, 11, 7
SEEDS = st.integers(0, 99)
EACH_LAYER = facts("layer", [PositionwiseFeedForward, GatedFeedForward])


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def network(seed, activation, *, layer=PositionwiseFeedForward, d_ff=D_FF):
    module = layer(D_MODEL, d_ff, activation=activation, bias=True).double()
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(draw(1000 * (number + 1) + seed, *parameter.shape))
    return module


@EACH_LAYER
@given(activation=st.sampled_from([*ACTIVATIONS]), seed=SEEDS)
@settings(max_examples=25)
def test_permuting_the_positions_commutes_with_the_network(layer, activation, seed):
    module, x = network(seed, activation, layer=layer), draw(seed, TIME, D_MODEL)
    order = torch.randperm(TIME, generator=torch.Generator().manual_seed(seed))
    assert_close(module(x[order]), module(x)[order], **EXACT)


@EACH_LAYER
@given(activation=st.sampled_from([*ACTIVATIONS]), seed=SEEDS)
@settings(max_examples=10)
def test_no_position_depends_on_another(layer, activation, seed):
    module, x = network(seed, activation, layer=layer), draw(seed, TIME, D_MODEL)
    blocks = torch.autograd.functional.jacobian(module, x).transpose(1, 2)
    others = ~torch.eye(TIME, dtype=torch.bool)
    assert not blocks[others].any()
    dead = "relu", "squared_relu"  # all hidden units of a position may be off
    assert blocks[~others].flatten(1).any(dim=1).all() or activation in dead


@given(seed=SEEDS)
@settings(max_examples=25)
def test_the_block_of_a_position_switches_units_on_and_off(seed):
    module, x = network(seed, "relu"), draw(seed, 1, D_MODEL)
    block = torch.autograd.functional.jacobian(module, x)[0, :, 0]  # output, input
    on = (module.up_projection(x[0]) > 0).double()
    up, down = module.up_projection.weight, module.down_projection.weight
    assert_close(block, down @ torch.diag(on) @ up, **EXACT)


@given(seed=SEEDS, d_ff=st.integers(1, 13))
@settings(max_examples=25)
def test_without_an_activation_two_maps_are_one(seed, d_ff):
    module, x = network(seed, "identity", d_ff=d_ff), draw(seed, TIME, D_MODEL)
    up, down = module.up_projection.weight.T, module.down_projection.weight.T
    bias = module.up_projection.bias @ down + module.down_projection.bias
    assert_close(module(x), x @ (up @ down) + bias, **EXACT)
    assert torch.linalg.matrix_rank(up @ down) <= min(D_MODEL, d_ff)


@given(activation=st.sampled_from([*ACTIVATIONS]), seed=SEEDS)
@settings(max_examples=25)
def test_the_network_is_a_sum_of_what_its_units_write(activation, seed):
    module, x = network(seed, activation), draw(seed, D_MODEL)
    keys, values = module.up_projection.weight, module.down_projection.weight.T
    total = module.down_projection.bias
    for key, bias, value in zip(keys, module.up_projection.bias, values, strict=True):
        total = total + ACTIVATIONS[activation](x @ key + bias) * value
    assert_close(module(x[None])[0], total, **EXACT)


@given(half=st.integers(1, 6), seed=SEEDS)
@settings(max_examples=25)
def test_scores_that_add_up_add_no_more_than_three_of_four_pairs(half, seed):
    count = 2 * half
    own, found = draw(seed, count, 1, count), draw(seed + 1, 1, count, count)
    answers = (own + found).argmax(dim=-1)
    symbols = torch.arange(count)
    right = answers == (symbols[:, None] + symbols) % count
    assert right.double().mean() <= 0.75


@given(count=st.integers(1, 11))
def test_scores_that_add_up_can_be_right_where_the_sum_needs_no_modulo(count):
    symbols = torch.arange(count)
    total = symbols[:, None] + symbols
    answers = (2 * total[..., None] * symbols - symbols**2).argmax(dim=-1)
    assert (answers == total % count)[total < count].all()
    assert (answers == total % count).sum() == count * (count + 1) / 2


@given(count=st.integers(1, 11), seed=SEEDS, size=st.floats(0, 3))
@settings(max_examples=50)
def test_scores_that_add_up_lose_no_less_than_blind_guessing(count, seed, size):
    own, found = draw(seed, count, 1, count), draw(seed + 1, 1, count, count)
    symbols = torch.arange(count)
    total = (symbols[:, None] + symbols) % count
    loss = cross_entropy(size * (own + found).flatten(0, 1), total.flatten())
    assert loss >= log(count) - 1e-12


@given(seed=SEEDS, factor=st.floats(0.1, 10))
@settings(max_examples=25)
def test_a_relu_network_forgets_how_its_units_are_scaled(seed, factor):
    module, x = network(seed, "relu"), draw(seed, TIME, D_MODEL)
    before = module(x)
    with torch.no_grad():
        module.up_projection.weight *= factor
        module.up_projection.bias *= factor
        module.down_projection.weight /= factor
    assert_close(module(x), before, **EXACT)
