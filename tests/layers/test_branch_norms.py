"""Norms inside the branches: of heads, and of what a branch adds."""

import torch
from torch import nn
from torch.testing import assert_close
from transformers import Gemma3TextConfig
from transformers.models.gemma3.modeling_gemma3 import Gemma3DecoderLayer, Gemma3RMSNorm

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    LayerNorm,
    NormedProjection,
    OnePlusRMSNorm,
    ResidualConnection,
    RMSNorm,
    SandwichConnection,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH, TIME, D_MODEL, HEADS, D_HEAD = 2, 5, 7, 3, 11


def double(module):
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


# Queries and keys


def test_heads_are_normalized_one_by_one_by_hand():
    linear = nn.Linear(2, 4, bias=False)
    part = NormedProjection(linear, RMSNorm(2, eps=1e-30), d_head=2).double()
    with torch.no_grad():  # two heads: (3, 4) and (0, 5)
        linear.weight.copy_(torch.tensor([[3.0, 0], [4, 0], [0, 0], [0, 5]]))
        part.norm.weight.copy_(torch.tensor([1.0, 2.0]))
    found = part(torch.ones(1, 1, 2).double())[0, 0]
    length = 12.5**0.5  # the root mean square of both heads
    expected = [3 / length, 2 * 4 / length, 0.0, 2 * 5 / length]
    assert_close(found, torch.tensor(expected).double(), rtol=1e-7, atol=1e-7)


@facts("norm", [RMSNorm(D_HEAD), LayerNorm(D_HEAD), OnePlusRMSNorm(D_HEAD)])
def test_one_head_does_not_know_the_others(norm):
    part = double(
        NormedProjection(nn.Linear(D_MODEL, HEADS * D_HEAD), norm, d_head=D_HEAD)
    )
    x = draw(BATCH, TIME, D_MODEL)
    before = part(x)
    with torch.no_grad():
        part.linear.weight[D_HEAD : 2 * D_HEAD] *= -3
    same = (part(x) == before).unflatten(-1, (HEADS, D_HEAD)).all(dim=-1)
    assert same[..., 0].all()
    assert same[..., 2].all()
    assert not same[..., 1].any()


def test_the_length_of_a_projection_does_not_matter():
    norm = RMSNorm(D_HEAD, eps=1e-30)
    part = double(
        NormedProjection(nn.Linear(D_MODEL, HEADS * D_HEAD), norm, d_head=D_HEAD)
    )
    x = draw(BATCH, TIME, D_MODEL)
    before = part(x)
    with torch.no_grad():
        part.linear.weight *= 7
        part.linear.bias *= 7
    assert_close(part(x), before, **EXACT)


# One plus a gain


def test_a_gain_of_zero_is_one_by_hand():
    norm, x = OnePlusRMSNorm(2, eps=1e-30).double(), torch.tensor([[3.0, 4.0]]).double()
    assert_close(norm(x)[0].square().mean(), torch.tensor(1.0).double(), **EXACT)
    with torch.no_grad():
        norm.weight.copy_(torch.tensor([1.0, -1.0]))
    expected = torch.tensor([2 * 3 / 12.5**0.5, 0.0], dtype=x.dtype)
    assert_close(norm(x)[0], expected, **EXACT)


def test_it_is_rms_norm_with_a_gain_moved_by_one():
    ours, plain = double(OnePlusRMSNorm(D_MODEL)), RMSNorm(D_MODEL).double()
    with torch.no_grad():
        plain.weight.copy_(1 + ours.weight)
    x = draw(BATCH, TIME, D_MODEL)
    assert_close(ours(x), plain(x), **EXACT)


@facts("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_rounded_once(dtype):
    norm = double(OnePlusRMSNorm(D_MODEL)).to(dtype)
    x = draw(97, TIME, D_MODEL).to(dtype)
    exact = double(OnePlusRMSNorm(D_MODEL))
    exact.load_state_dict(norm.state_dict())
    assert norm(x).dtype == dtype
    expected = exact(x.double())
    half = 0.505 * torch.finfo(dtype).eps * expected.abs() + 1e-7
    assert ((norm(x).double() - expected).abs() <= half).all()


@facts("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-6)], ids=str)
def test_it_equals_that_of_gemma(dtype, tolerance, parity):
    ours = double(OnePlusRMSNorm(D_MODEL)).to(dtype)
    theirs = Gemma3RMSNorm(D_MODEL).to(dtype)
    theirs.load_state_dict(ours.state_dict())
    x, direction = draw(2, TIME, D_MODEL).to(dtype)
    x, results = [x.clone().requires_grad_() for _ in range(2)], []
    for norm, given in zip((ours, theirs), x, strict=True):
        results.append(norm(given))
        (results[-1] * direction).sum().backward()
    bounds = {"rtol": tolerance, "atol": tolerance}
    compared = parity(ours, theirs)
    compared.values(*results, **bounds)
    compared.gradients(x[0].grad, x[1].grad, **bounds)
    compared.gradients(ours.weight.grad, theirs.weight.grad, **bounds)


# Before and after


def test_both_norms_by_hand():
    layer = SandwichConnection(RMSNorm(2, eps=1e-30), RMSNorm(2, eps=1e-30)).double()
    with torch.no_grad():
        layer.norm_after.weight.copy_(torch.tensor([1.0, 10.0]))
    found = layer(torch.tensor([[3.0, 4.0]]).double(), lambda x: x.flip(-1) * 100)
    length = 12.5**0.5
    expected = torch.tensor([[3 + 4 / length, 4 + 10 * 3 / length]]).double()
    assert_close(found, expected, rtol=1e-7, atol=1e-7)


def test_what_is_added_does_not_know_how_large_the_sublayer_speaks():
    layer = double(SandwichConnection(RMSNorm(D_MODEL), RMSNorm(D_MODEL, eps=1e-30)))
    x, linear = draw(BATCH, TIME, D_MODEL), double(nn.Linear(D_MODEL, D_MODEL))
    soft, loud = layer(x, linear), layer(x, lambda x: 1000 * linear(x))
    assert_close(soft, loud, **EXACT)
    plain = ResidualConnection(layer.norm, placement="pre")
    assert not torch.allclose(plain(x, linear), soft)


def test_dropout_comes_last_and_only_in_training():
    layer = SandwichConnection(RMSNorm(D_MODEL), RMSNorm(D_MODEL), dropout=0.5)
    x = torch.randn(BATCH, 997, D_MODEL)
    found = layer.change(x, nn.Identity())
    whole = layer.eval().change(x, nn.Identity())
    assert 0.45 < (found == 0).float().mean() < 0.55
    assert not (whole == 0).any()
    assert_close(found[found != 0], 2 * whole[found != 0])  # no norm comes behind it


class Silent(nn.Module):
    """Attention that adds nothing."""

    def forward(self, hidden_states, **given):
        return torch.zeros_like(hidden_states), None


@facts("dtype, tolerance", [(torch.float32, 1e-5), (torch.float64, 1e-6)], ids=str)
@torch.no_grad()
def test_it_is_the_wiring_of_gemma(dtype, tolerance, parity):
    config = Gemma3TextConfig(
        hidden_size=8,
        intermediate_size=13,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=4,
        num_hidden_layers=1,
    )
    theirs = double(Gemma3DecoderLayer(config, layer_idx=0)).to(dtype).eval()
    theirs.self_attn = Silent()  # the second branch alone
    ours = SandwichConnection(OnePlusRMSNorm(8), OnePlusRMSNorm(8)).to(dtype)
    ours.norm.load_state_dict(theirs.pre_feedforward_layernorm.state_dict())
    ours.norm_after.load_state_dict(theirs.post_feedforward_layernorm.state_dict())
    x = draw(BATCH, TIME, 8).to(dtype)
    bounds = {"rtol": tolerance, "atol": tolerance}
    parity(ours, theirs).values(ours(x, theirs.mlp), theirs(x), **bounds)


BAD_INPUTS = {
    ValueError: {
        "dropout.*below 1.*got 1": lambda: SandwichConnection(
            RMSNorm(3), RMSNorm(3), dropout=1.0
        ),
        r"x must have shape.*d_model=3.*got \(2, 5\)": lambda: OnePlusRMSNorm(3)(
            torch.ones(2, 5)
        ),
        r"sublayer must return the shape of x, got \(2, 1\)": lambda: (
            SandwichConnection(RMSNorm(3), RMSNorm(3)).change(
                torch.ones(2, 3), lambda x: x[:, :1]
            )
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
