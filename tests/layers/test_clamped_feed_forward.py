"""A clamped gated layer: small where numbers are small, bounded where they are not."""

import math

import torch
from torch.testing import assert_close
from transformers import GptOssConfig
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssMLP

from bookkit.checking.facts import facts
from transformer.layers import ClampedFeedForward, GatedFeedForward, MixtureOfExperts
from transformer.layers.clamped_feed_forward import gated_network

EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH, TIME, D_MODEL, D_FF, EXPERTS = 2, 11, 5, 7, 3


def random(layer):
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    return layer


def build(**choices):
    return random(ClampedFeedForward(D_MODEL, D_FF, **{"limit": 0.3, **choices}))


def draw(dtype=torch.float64):
    return torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)


@facts("x, gate, up", [(1.0, 1.0, 1.0), (3.0, 2.0, 2.0), (-3.0, -3.0, -2.0)])
def test_one_number_by_hand(x, gate, up):
    layer = ClampedFeedForward(1, 1, limit=2.0).double()
    for part in layer.children():
        if isinstance(part, torch.nn.Linear):
            torch.nn.init.ones_(part.weight)
    found = layer(torch.tensor([[x]], dtype=torch.float64))
    expected = gate / (1 + math.exp(-1.702 * gate)) * (1 + up)
    assert math.isclose(found.item(), expected, rel_tol=1e-12)


def test_the_equation_with_nothing_clamped():
    layer, x = build(limit=1e6).double(), draw()
    gate, up = layer.gate_projection(x), layer.up_projection(x)
    expected = layer.down_projection(gate * torch.sigmoid(1.702 * gate) * (1 + up))
    assert_close(layer(x), expected, **EXACT)


def test_no_feature_leaves_its_bounds():
    layer, seen = build().double(), []
    layer.down_projection.register_forward_pre_hook(lambda _, x: seen.append(x[0]))
    for size in (1.0, 1e6):
        layer(size * draw())
    highest = 0.3 / (1 + math.exp(-1.702 * 0.3)) * 1.3
    assert max(x.max() for x in seen) <= highest * (1 + 1e-12)
    lowest = -0.1637 * 1.3  # the dip of the activation, near -0.75
    assert min(x.min() for x in seen) >= lowest


def test_a_clamped_number_learns_nothing():
    layer, x = build(limit=1e-9).double(), draw()
    layer(x).sum().backward()
    assert not layer.up_projection.weight.grad.any()
    assert layer.down_projection.weight.grad.any()


def test_a_limit_makes_the_difference():
    assert type(gated_network(D_MODEL, D_FF)) is GatedFeedForward
    layer = gated_network(D_MODEL, D_FF, limit=2.0, bias=False)
    assert type(layer) is ClampedFeedForward
    assert "limit=2.0" in repr(layer)


@facts("limit", [0.3, 7.0])
@facts("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_experts_equal_those_of_gpt_oss(limit, dtype, tolerance, parity):
    config = GptOssConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_FF,
        num_local_experts=EXPERTS,
        num_experts_per_tok=2,
        swiglu_limit=limit,
    )
    config._experts_implementation = "eager"
    theirs = random(GptOssMLP(config)).to(dtype)
    ours = MixtureOfExperts(
        D_MODEL,
        D_FF,
        num_experts=EXPERTS,
        router_bias=True,
        activation="gelu_sigmoid",
        bias=True,
        limit=limit,
    ).to(dtype)
    stored = theirs.experts
    with torch.no_grad():
        ours.router.load_state_dict(theirs.router.state_dict())
        for number, expert in enumerate(ours.experts):
            for first, part in enumerate(
                (expert.gate_projection, expert.up_projection)
            ):
                part.weight.copy_(stored.gate_up_proj[number, :, first::2].T)
                part.bias.copy_(stored.gate_up_proj_bias[number, first::2])
            expert.down_projection.weight.copy_(stored.down_proj[number].T)
            expert.down_projection.bias.copy_(stored.down_proj_bias[number])
    x, direction = draw(dtype).requires_grad_(), draw(dtype)
    bounds, compared = {"rtol": tolerance, "atol": tolerance}, parity(ours, theirs)
    compared.values(ours(x), theirs(x)[0], **bounds)
    routers = (x, ours.router.bias), (x, theirs.router.bias)
    came = torch.autograd.grad(ours(x), routers[0], direction)
    want = torch.autograd.grad(theirs(x)[0], routers[1], direction)
    compared.gradients(came, want, **bounds)


@facts(
    "choices, error, message",
    [
        ({"limit": 0.0}, ValueError, "limit must be.*above 0, got 0"),
        ({"limit": "7"}, TypeError, "limit must be a number"),
        ({"dropout": 1.0}, ValueError, "dropout must be"),
    ],
)
def test_impossible_layers_are_refused(choices, error, message, refuses):
    refuses(lambda: build(**choices), error, message)
