"""The laws of the chapter on layer normalization, for random inputs."""

import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.autograd.functional import jacobian
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import LayerNorm, causal_mask
from transformer.layers.attention import scaled_dot_product_attention

EXACT = {"rtol": 1e-8, "atol": 1e-8}
BATCH, TIME = 2, 7
SEEDS = st.integers(0, 99)
SIZES = st.sampled_from([2, 3, 5, 19])


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def norm(d_model, eps=1e-5):
    return LayerNorm(d_model, eps=eps).double()


@given(
    seed=SEEDS,
    d=SIZES,
    a=st.floats(0.01, 100),
    negative=st.booleans(),
    c=st.floats(-10, 10),
)
@settings(max_examples=50)
def test_shift_and_scale_are_forgotten(seed, d, a, negative, c):
    a = -a if negative else a
    x = draw(seed, 5, d)
    expected = norm(d, eps=1e-5 / a**2)(x) * (-1 if negative else 1)
    assert_close(norm(d)(a * x + c), expected, **EXACT)


@given(seed=SEEDS, d=SIZES, scale=st.floats(1e-3, 1e3))
@settings(max_examples=50)
def test_the_norm_lives_on_a_sphere(seed, d, scale):
    x = scale * draw(seed, 5, d)
    y, variance = norm(d)(x), x.var(dim=-1, correction=0)
    assert_close(y.sum(dim=-1), torch.zeros(5, dtype=torch.float64), **EXACT)
    assert_close(y.square().sum(dim=-1), d * variance / (variance + 1e-5), **EXACT)
    assert y.abs().max() <= (d - 1) ** 0.5 + 1e-9


@given(seed=SEEDS, d=SIZES, eps=st.sampled_from([1e-14, 1e-5, 1.0]))
@settings(max_examples=50, deadline=None)
def test_the_derivative_of_a_layer_norm(seed, d, eps):
    x, one = draw(seed, d), torch.ones(d, dtype=torch.float64)
    variance = x.var(correction=0)
    assume(variance > 1e-2)
    y, s = norm(d, eps)(x).detach(), (variance + eps).sqrt()
    eye = torch.eye(d, dtype=torch.float64)
    formula = (eye - torch.outer(one, one) / d - torch.outer(y, y) / d) / s
    found = jacobian(norm(d, eps), x)
    assert_close(found, formula, **EXACT)
    assert_close(found @ one, 0 * one, **EXACT)
    if eps < 1e-10:
        assert_close(found @ x, 0 * x, **EXACT)
        assert_close(s * found @ found, found, rtol=1e-6, atol=1e-6)  # eps is not zero


@given(seed=SEEDS, d=SIZES, eps=st.sampled_from([1e-14, 1e-5, 1.0]))
@settings(max_examples=50, deadline=None)
def test_the_gradient_loses_its_mean_and_its_part_along_the_result(seed, d, eps):
    x, v, module = draw(seed, 5, d).requires_grad_(), draw(seed + 1, 5, d), norm(d, eps)
    module.weight.data, module.bias.data = draw(seed + 2, d), draw(seed + 3, d)
    with torch.no_grad():
        centered = x - x.mean(dim=-1, keepdim=True)
        s = (centered.square().mean(dim=-1, keepdim=True) + eps).sqrt()
        assume(s.min() > 1e-2)
        y, u = centered / s, v * module.weight
        along = (u * y).mean(dim=-1, keepdim=True) * y
        by_hand = (u - u.mean(dim=-1, keepdim=True) - along) / s
    inputs = (x, module.weight, module.bias)
    found = torch.autograd.grad(module(x), inputs, v)
    assert_close(found[0], by_hand, **EXACT)
    assert_close(found[1], (v * y).sum(dim=0), **EXACT)
    assert_close(found[2], v.sum(dim=0), **EXACT)


@facts("batch_norm", [False, True])
@given(seed=SEEDS, place=st.integers(0, TIME - 2))
@settings(max_examples=25, deadline=None)
def test_layer_norm_keeps_causality_and_batch_norm_breaks_it(batch_norm, seed, place):
    def model(x):
        mask = causal_mask(TIME)
        x = (
            x
            + scaled_dot_product_attention(x, x, x, mask=mask, need_weights=True).values
        )
        if not batch_norm:
            return norm(5)(x)
        return nn.BatchNorm1d(5).double()(x.flatten(end_dim=1)).view_as(x)

    x = draw(seed, BATCH, TIME, 5)
    changed = x.clone()
    changed[:, place + 1 :] += draw(seed + 1, BATCH, TIME - place - 1, 5)
    moved = (model(changed) - model(x))[:, : place + 1].abs().max()
    assert (moved > 1e-6) == batch_norm


def test_the_counterexample_turns_the_sign_of_the_first_token():
    norm = nn.BatchNorm1d(1, eps=1e-12).double()
    up, down = (torch.tensor([[0.0], [z]], dtype=torch.float64) for z in (2.0, -2.0))
    assert_close(norm(up), torch.tensor([[-1.0], [1.0]]).double())
    assert_close(norm(down), torch.tensor([[1.0], [-1.0]]).double())
