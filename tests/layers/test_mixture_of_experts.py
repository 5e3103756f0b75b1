"""A feed-forward layer of several experts, of which each position asks a few."""

import copy
import math
from functools import partial

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import MixtralConfig
from transformers.models.mixtral.modeling_mixtral import (
    MixtralSparseMoeBlock,
    load_balancing_loss_func,
)

from bookkit.checking.facts import facts
from transformer.layers import MixtureOfExperts, load_balancing_loss

EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH, TIME, D_MODEL, D_FF, EXPERTS = 2, 11, 5, 7, 3


def build(*, experts_per_token=2, dtype=torch.float64, **options):
    """A layer with random parameters."""
    layer = MixtureOfExperts(
        D_MODEL,
        D_FF,
        num_experts=EXPERTS,
        experts_per_token=experts_per_token,
        **options,
    ).to(dtype)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    return layer


def draw(dtype=torch.float64):
    return torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)


def all_answers(layer, x):
    """What every expert says of every position: (batch, time, experts, d_model)."""
    return torch.stack([expert(x) for expert in layer.experts], dim=-2)


# The equation by hand


def test_the_two_strongest_experts_are_weighed_by_their_logits():
    layer, x = build(), draw()
    position = x[1, 4]
    logits = (layer.router.weight @ position).tolist()
    first, second = sorted(range(EXPERTS), key=lambda i: -logits[i])[:2]
    share = 1 / (1 + math.exp(logits[second] - logits[first]))
    expected = share * layer.experts[first](position[None])
    expected = expected + (1 - share) * layer.experts[second](position[None])
    assert_close(layer(x)[1, 4], expected[0], **EXACT)


@facts("experts_per_token", [1, 2, 3])
def test_the_layer_is_the_weighted_sum_of_the_chosen_answers(experts_per_token):
    layer, x = build(experts_per_token=experts_per_token), draw()
    logits = x @ layer.router.weight.mT
    low = logits.sort(descending=True).values[..., experts_per_token - 1, None]
    gates = logits.masked_fill(logits < low, -torch.inf).softmax(dim=-1)
    expected = (gates.unsqueeze(-1) * all_answers(layer, x)).sum(dim=-2)
    assert_close(layer(x), expected, **EXACT)


def test_routing_says_who_is_asked_and_how_much_it_counts():
    layer, x = build(), draw()
    weights, experts, logits = layer.route(x)
    assert_close(weights.sum(dim=-1), torch.ones(BATCH, TIME).double(), **EXACT)
    assert (weights[..., 0] >= weights[..., 1]).all()
    assert experts[..., 0].equal(logits.argmax(dim=-1))
    assert logits.shape == (BATCH, TIME, EXPERTS)


def test_balance_by_hand():
    logits = torch.tensor([[3.0, 0.0], [2.0, 0.0], [0.0, 1.0]]).double()
    probability = logits.softmax(dim=-1).mean(dim=0)
    expected = 2 * (2 / 3 * probability[0] + 1 / 3 * probability[1])
    assert_close(load_balancing_loss(logits, experts_per_token=1), expected, **EXACT)


@facts("dtype", [torch.float32, torch.float64])
def test_samples_that_are_mapped_get_what_each_gets_alone(dtype):
    layer, x = build(dtype=dtype), draw(dtype)
    assert_close(torch.vmap(layer)(x), layer(x))


def test_an_expert_that_was_not_chosen_says_nothing_when_samples_are_mapped():
    layer, x = build(router_bias=True, experts_per_token=1), draw()
    with torch.no_grad():
        layer.router.bias[2] = -100.0
        layer.experts[2].up_projection.weight.fill_(torch.inf)
    assert_close(torch.vmap(layer)(x), layer(x), **EXACT)


def test_the_balancing_loss_may_be_mapped():
    logits = torch.randn(2, TIME, EXPERTS).double()
    balance = partial(load_balancing_loss, experts_per_token=2)
    expected = torch.stack([balance(rows) for rows in logits])
    assert_close(torch.vmap(balance)(logits), expected, **EXACT)


# Laws


@given(seed=st.integers(0, 10_000), experts_per_token=st.integers(1, EXPERTS))
@settings(max_examples=20, deadline=None)
def test_each_position_is_transformed_by_itself(seed, experts_per_token):
    torch.manual_seed(seed)
    layer, x = build(experts_per_token=experts_per_token), draw()
    order = torch.randperm(TIME)
    assert_close(layer(x)[:, order], layer(x[:, order]), **EXACT)
    assert_close(layer(x)[:, 3], layer(x[:, 3:4])[:, 0], **EXACT)


def test_equal_experts_are_one_expert():
    layer, x = build(), draw()
    for expert in layer.experts[1:]:
        expert.load_state_dict(layer.experts[0].state_dict())
    assert_close(layer(x), layer.experts[0](x), **EXACT)


def test_an_expert_that_nobody_asks_changes_nothing_and_learns_nothing():
    layer, x = build(experts_per_token=1), draw()
    unasked = [i for i in range(EXPERTS) if i not in layer.route(x).experts]
    if not unasked:
        with torch.no_grad():
            layer.router.weight[1:] = layer.router.weight[:1]
            layer.router.weight[0] *= 2
        x = x * (x @ layer.router.weight[0]).sign().unsqueeze(-1)
        unasked = [1, 2]
    before = layer(x)
    layer(x).sum().backward()
    silent = layer.experts[unasked[0]]
    assert all(not p.grad.any() for p in silent.parameters())
    with torch.no_grad():
        silent.up_projection.weight.normal_()
    assert layer(x).equal(before)


@given(seed=st.integers(0, 10_000), experts_per_token=st.integers(1, EXPERTS))
@settings(max_examples=20, deadline=None)
def test_even_routing_has_the_loss_of_the_experts_asked(seed, experts_per_token):
    torch.manual_seed(seed)
    row = 3 * torch.randn(EXPERTS).double()
    logits = torch.stack([row.roll(i) for i in range(EXPERTS)])
    loss = load_balancing_loss(logits, experts_per_token=experts_per_token)
    assert_close(loss, torch.tensor(float(experts_per_token)).double(), **EXACT)


def test_the_balancing_loss_is_one_for_all_positions_of_a_batch():
    logits = torch.randn(2, 5, EXPERTS).double()
    loss = load_balancing_loss(logits, experts_per_token=2)
    rows = load_balancing_loss(logits.flatten(0, 1), experts_per_token=2)
    assert torch.equal(loss, rows)


def test_asking_one_expert_always_has_the_highest_loss():
    logits = torch.tensor([[50.0, 0.0, 0.0]]).double().expand(7, EXPERTS)
    loss = load_balancing_loss(logits, experts_per_token=1)
    assert_close(loss, torch.tensor(float(EXPERTS)).double(), **EXACT)


def test_the_balancing_loss_lowers_the_logits_of_the_busy():
    logits = torch.tensor([[2.0, 0.0, 0.0]] * 5).double().requires_grad_()
    load_balancing_loss(logits, experts_per_token=1).backward()
    assert (logits.grad[:, 0] > 0).all()
    assert (logits.grad[:, 1:] < 0).all()


@facts("dtype", [torch.float16, torch.bfloat16])
@facts("positions", [1009, 300_007])
def test_the_balancing_loss_in_half_precision_is_rounded_once(dtype, positions):
    logits = torch.rand(positions, EXPERTS).argsort(dim=-1).to(dtype)  # no two alike
    logits[: positions // 2] = torch.tensor([0.0, 1.0, 2.0])
    loss, exact = (
        load_balancing_loss(x, experts_per_token=2) for x in (logits, logits.double())
    )
    assert torch.equal(loss, exact.to(dtype))


def test_dropout_acts_inside_the_experts_in_training_only():
    layer, x = build(dropout=0.999), draw()
    # each of the 44 answers is zero unless one of 7 features survives
    assert (layer(x) == 0).double().mean() > 0.5
    assert (layer.eval()(x) != 0).all()


def test_a_copy_and_saved_weights_give_the_same():
    layer, other, x = build(), build(), draw()
    other.load_state_dict(layer.state_dict())
    assert other(x).equal(layer(x))
    assert copy.deepcopy(layer)(x).equal(layer(x))


def test_autocast_keeps_the_shape_and_stays_near():
    layer, x = build(dtype=torch.float32), draw(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        weights, experts, _ = layer.route(x)
        y = layer(x)
    gates = torch.zeros(BATCH, TIME, EXPERTS).scatter(-1, experts, weights.float())
    expected = (gates.unsqueeze(-1) * all_answers(layer, x)).sum(dim=-2)
    # bfloat16 keeps two to three digits.
    assert_close(y.float(), expected, rtol=0.05, atol=0.05)


# Parity


@facts("dtype", [torch.float64, torch.float32])
def test_it_is_the_layer_of_mixtral(dtype, parity):
    config = MixtralConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_FF,
        num_local_experts=EXPERTS,
        num_experts_per_tok=2,
    )
    ours, theirs = build(dtype=dtype), MixtralSparseMoeBlock(config).to(dtype)
    with torch.no_grad():
        theirs.gate.weight.copy_(ours.router.weight)
        for number, expert in enumerate(ours.experts):
            both = torch.cat(
                (expert.gate_projection.weight, expert.up_projection.weight)
            )
            theirs.experts.gate_up_proj[number] = both
            theirs.experts.down_proj[number] = expert.down_projection.weight
    x = draw(dtype).requires_grad_()
    direction = draw(dtype)
    came = torch.autograd.grad(ours(x), (x, ours.router.weight), direction)
    want = torch.autograd.grad(theirs(x), (x, theirs.gate.weight), direction)
    # Mixtral takes the softmax of its router in float32.
    close = {"rtol": 1e-5, "atol": 1e-6}
    compared = parity(ours, theirs)
    compared.values(ours(x), theirs(x), **close)
    compared.gradients(came, want, **close)


@facts("experts_per_token", [1, 2])
def test_the_balancing_loss_is_that_of_mixtral(experts_per_token, parity):
    logits = torch.randn(13, EXPERTS)
    ours = load_balancing_loss(logits, experts_per_token=experts_per_token)
    theirs = load_balancing_loss_func((logits,), EXPERTS, experts_per_token)
    compared = parity(load_balancing_loss, load_balancing_loss_func)
    compared.values(ours, theirs, rtol=0, atol=1e-6)


# Errors


@facts(
    "options, error, message",
    [
        ({"num_experts": 0}, ValueError, "experts_per_token.*at most.*num_experts=0"),
        (
            {"num_experts": 3, "experts_per_token": 4},
            ValueError,
            "experts_per_token.*got experts_per_token=4",
        ),
        (
            {"num_experts": 3, "experts_per_token": 0},
            ValueError,
            "experts_per_token.*at least 1.*got 0",
        ),
        ({"num_experts": 3, "activation": "wild"}, ValueError, "activation must be"),
        ({"num_experts": 3, "dropout": 1.0}, ValueError, "dropout must be"),
    ],
)
def test_impossible_layers_are_refused(options, error, message, refuses):
    refuses(lambda: MixtureOfExperts(D_MODEL, D_FF, **options), error, message)


@facts(
    "logits, count, error, message",
    [
        (torch.zeros(0, 3), 1, ValueError, "logits must hold at least one position"),
        (torch.zeros(2, 3), 4, ValueError, "experts_per_token must be at most"),
    ],
)
def test_a_loss_of_nothing_is_refused(logits, count, error, message, refuses):
    refuses(
        lambda: load_balancing_loss(logits, experts_per_token=count), error, message
    )
