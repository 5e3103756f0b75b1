"""Experts in groups: who is chosen, what counts, and who is always asked."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close
from transformers import DeepseekV3Config
from transformers.models.deepseek_v3 import modeling_deepseek_v3

from bookkit.checking.facts import facts
from transformer.layers import GroupedExperts

EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH, TIME, D_MODEL, D_FF = 2, 11, 5, 7
EXPERTS, GROUPS = 6, 3


def build(dtype=torch.float64, **options):
    """A layer in which all is random, of three groups of two experts."""
    sizes = {"num_experts": EXPERTS, "num_groups": GROUPS, "groups_per_token": 2}
    layer = GroupedExperts(D_MODEL, D_FF, **{**sizes, **options}).to(dtype)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    return layer


def draw(dtype=torch.float64):
    return torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)


class Said(nn.Module):
    """A router that says the logits of given scores, whatever it reads."""

    def __init__(self, *scores):
        super().__init__()
        self.logits = torch.tensor(scores, dtype=torch.float64).logit()

    def forward(self, x):
        return self.logits.expand(*x.shape[:-1], -1)


def routed(scores, choice_bias=0.0, **options):
    """The experts that one position asks, and its shares."""
    layer = build(**options)
    layer.router = Said(*scores)
    with torch.no_grad():
        layer.choice_bias.copy_(torch.as_tensor(choice_bias))
    weights, experts, _ = layer.route(torch.zeros(1, 1, D_MODEL).double())
    return dict(
        zip(experts.flatten().tolist(), weights.flatten().tolist(), strict=True)
    )


# By hand


def test_the_best_expert_may_stand_in_a_group_that_loses():
    scores = (0.9, 0.1, 0.6, 0.5, 0.7, 0.4)  # sums 1.0, 1.1 and 1.1
    found = routed(scores, experts_per_token=3)
    expected = {4: 0.7 / 1.8, 2: 0.6 / 1.8, 3: 0.5 / 1.8}
    assert list(found) == list(expected)
    assert_close(list(found.values()), list(expected.values()), **EXACT)


def test_a_bias_acts_on_the_choice_and_not_on_the_shares():
    scores = (0.5, 0.4, 0.3, 0.2, 0.1, 0.1)
    one = {"num_groups": 1, "groups_per_token": 1}
    assert list(routed(scores, **one)) == [0, 1]
    found = routed(scores, [0, 0, 0, 0.4, 0, 0], **one)
    assert list(found) == [3, 0]
    assert_close(list(found.values()), [0.2 / 0.7, 0.5 / 0.7], **EXACT)


def test_negative_choices_stay_in_their_groups():
    # With zeros for what is left out, the second place would go to another group.
    scores = (0.9, 0.1, 0.8, 0.3, 0.2, 0.1)
    found = routed(scores, [-0.5] * EXPERTS, groups_per_token=1, experts_per_token=2)
    assert list(found) == [2, 3]


@facts("normalize, total", [(True, 2.5), (False, 2.5 * 0.9)])
def test_shares_are_scaled(normalize, total):
    options = {"num_groups": 1, "groups_per_token": 1, "scale": 2.5}
    found = routed((0.5, 0.4, 0.3, 0.2, 0.1, 0.1), normalize=normalize, **options)
    assert abs(sum(found.values()) - total) < 1e-12


def test_the_equation_written_as_loops():
    layer, x = build(shared_experts=2, scale=1.7, experts_per_token=3), draw()
    found = layer(x)
    for b in range(BATCH):
        for t in range(TIME):
            scores = torch.sigmoid(layer.router.weight @ x[b, t])
            ranks = (scores + layer.choice_bias).tolist()
            sums = [ranks[2 * g] + ranks[2 * g + 1] for g in range(GROUPS)]
            groups = sorted(range(GROUPS), key=lambda g, sums=sums: -sums[g])[:2]
            inside = [e for e in range(EXPERTS) if e // 2 in groups]
            asked = sorted(inside, key=lambda e, ranks=ranks: -ranks[e])[:3]
            total = sum(scores[e] for e in asked)
            expected = layer.shared(x[b, t][None])[0]
            for e in asked:
                answer = layer.experts[e](x[b, t][None])[0]
                expected = expected + 1.7 * scores[e] / total * answer
            assert_close(found[b, t], expected, **EXACT)


# Invariants


@given(st.integers(0, 999), st.integers(1, 4), st.integers(2, 3))
@settings(max_examples=25)
def test_who_is_asked_stands_in_the_chosen_groups(seed, asked, groups):
    torch.manual_seed(seed)
    layer = build(experts_per_token=asked, groups_per_token=groups)
    weights, experts, _ = layer.route(draw())
    assert all(len(set(row)) <= groups for row in (experts // 2).flatten(0, 1).tolist())
    assert (weights >= 0).all()
    assert_close(weights.sum(-1), torch.ones(BATCH, TIME).double(), **EXACT)


def test_the_choice_learns_nothing_and_all_else_does():
    layer = build(shared_experts=1, experts_per_token=3)
    layer(draw()).square().sum().backward()
    assert layer.choice_bias.grad is None
    assert not layer.choice_bias.requires_grad
    for name, parameter in layer.named_parameters():
        assert name == "choice_bias" or parameter.grad.any(), name


def test_a_choice_starts_without_a_bias_and_is_saved():
    layer = GroupedExperts(D_MODEL, D_FF, num_experts=EXPERTS)
    assert not layer.choice_bias.any()
    assert "choice_bias" in layer.state_dict()
    assert layer.shared is None


def test_shared_experts_are_one_network_of_their_widths():
    assert build(shared_experts=3).shared.up_projection.out_features == 3 * D_FF


def test_scores_that_vanish_give_no_nan():
    layer = build(experts_per_token=2)
    layer.router = Said(*[1e-300] * EXPERTS)
    assert layer(draw()).isfinite().all()


# Parity


@facts("shared", [1, 2])
@facts("normalize", [True, False])
@facts("groups", [(1, 1), (3, 2), (2, 2)])
@facts("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_it_is_the_layer_of_deepseek(
    shared, normalize, groups, dtype, tolerance, parity, monkeypatch
):
    config = DeepseekV3Config(
        hidden_size=D_MODEL,
        moe_intermediate_size=D_FF,
        n_routed_experts=EXPERTS,
        num_experts_per_tok=3,
        n_group=groups[0],
        topk_group=groups[1],
        n_shared_experts=shared,
        norm_topk_prob=normalize,
    )
    config._experts_implementation = "eager"
    theirs = modeling_deepseek_v3.DeepseekV3MoE(config).to(dtype)
    ours = build(
        dtype,
        experts_per_token=3,
        num_groups=groups[0],
        groups_per_token=groups[1],
        shared_experts=shared,
        normalize=normalize,
        scale=config.routed_scaling_factor,
    )
    stored = theirs.experts
    with torch.no_grad():
        theirs.gate.weight.copy_(ours.router.weight)
        theirs.gate.e_score_correction_bias.copy_(ours.choice_bias)
        for number, expert in enumerate((*ours.experts, ours.shared)):
            gate, up = expert.gate_projection.weight, expert.up_projection.weight
            if number < EXPERTS:
                stored.gate_up_proj[number] = torch.cat((gate, up))
                stored.down_proj[number] = expert.down_projection.weight
            else:
                theirs.shared_experts.gate_proj.weight.copy_(gate)
                theirs.shared_experts.up_proj.weight.copy_(up)
                down = expert.down_projection.weight
                theirs.shared_experts.down_proj.weight.copy_(down)
    x, direction = draw(dtype).requires_grad_(), draw(dtype)
    with monkeypatch.context() as patch:
        if dtype == torch.float64:  # its router takes a step in float32
            patch.setattr(modeling_deepseek_v3.torch, "float32", torch.float64)
        expected = theirs(x)
    bounds, compared = {"rtol": tolerance, "atol": tolerance}, parity(ours, theirs)
    compared.values(ours(x), expected, **bounds)
    came = torch.autograd.grad(ours(x), (x, ours.router.weight), direction)
    want = torch.autograd.grad(expected, (x, theirs.gate.weight), direction)
    compared.gradients(came, want, **bounds)


# Errors


@facts(
    "options, error, message",
    [
        ({"num_groups": 4}, ValueError, "num_experts.*num_groups=4"),
        ({"groups_per_token": 4}, ValueError, "groups_per_token must be.*got 4"),
        ({"num_groups": 6}, ValueError, "a group must have 2 experts.*num_groups=6"),
        (
            {"experts_per_token": 5},
            ValueError,
            "a position must find experts_per_token=5.*got 2 of 2",
        ),
        ({"groups_per_token": 0}, ValueError, "groups_per_token.*at least 1.*got 0"),
        ({"shared_experts": -1}, ValueError, "shared_experts.*at least 0.*got -1"),
        ({"scale": 0.0}, ValueError, "scale must be.*above 0, got 0"),
        ({"experts_per_token": 7}, ValueError, "experts_per_token.*got"),
        ({"limit": -1.0}, ValueError, "limit must be.*above 0, got -1"),
    ],
)
def test_impossible_layers_are_refused(options, error, message, refuses):
    refuses(lambda: build(**options), error, message)
