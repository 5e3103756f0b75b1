"""The laws of the chapter on norm placement, for random inputs and sublayers."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import LayerNorm, ResidualConnection, RMSNorm

EXACT = {"rtol": 1e-9, "atol": 1e-9}
D_MODEL = 19
SUBLAYERS = st.sampled_from(
    [torch.sin, torch.exp, torch.tanh, lambda x: 1e3 * x, lambda x: x.roll(1, -1)]
)
NORMS = facts("norm", [LayerNorm, RMSNorm])
STACKS = st.lists(SUBLAYERS, min_size=1, max_size=7)


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, D_MODEL, generator=generator, dtype=torch.float64)


def connection(placement, eps=1e-5, norm=LayerNorm):
    return ResidualConnection(norm(D_MODEL, eps=eps).double(), placement=placement)


def orthogonal(seed, count):
    """Vectors of mean zero and variance one, each orthogonal to all others."""
    x = draw(seed, count).T
    return torch.linalg.qr(x - x.mean(dim=0)).Q.T * D_MODEL**0.5


@given(sublayers=STACKS, seed=st.integers(0, 99))
@settings(max_examples=25)
def test_post_norm_resets_the_variance_up_to_eps(sublayers, seed):
    residual, x = connection("post"), draw(seed, 3)
    for sublayer in sublayers:
        variance = (x + sublayer(x)).var(dim=-1, correction=0)
        x = residual(x, sublayer)
        expected = variance / (variance + 1e-5)
        assert_close(x.var(dim=-1, correction=0), expected, **EXACT)
        assert_close(x.mean(dim=-1), torch.zeros_like(expected), **EXACT)


@given(sublayers=STACKS, seed=st.integers(0, 99))
@settings(max_examples=25)
def test_post_norm_with_rms_norm_resets_the_mean_square(sublayers, seed):
    residual, x = connection("post", norm=RMSNorm), draw(seed, 3)
    for sublayer in sublayers:
        square = (x + sublayer(x)).square().mean(dim=-1)
        x = residual(x, sublayer)
        assert_close(x.square().mean(dim=-1), square / (square + 1e-5), **EXACT)


@NORMS
@given(sublayers=STACKS, seed=st.integers(0, 99))
@settings(max_examples=25)
def test_the_pre_norm_stream_is_its_input_plus_all_changes(norm, sublayers, seed):
    residual, x = connection("pre", norm=norm), draw(seed, 3)
    start, changes = x, []
    for sublayer in sublayers:
        changes.append(residual.change(x, sublayer))
        x = residual(x, sublayer)
    assert_close(x, start + sum(changes), **EXACT)


@given(sublayers=STACKS, seed=st.integers(0, 99))
@settings(max_examples=25)
def test_the_pre_norm_skip_passes_the_gradient_on_unchanged(sublayers, seed):
    residual, x = connection("pre"), draw(seed, 3).requires_grad_()
    y, direction = x, draw(seed + 1, 3)
    for sublayer in sublayers:
        y = residual(y, lambda z, sublayer=sublayer: sublayer(z).detach())
    y.backward(direction)
    assert torch.equal(x.grad, direction)


@NORMS
@facts("placement", ["pre", "post"])
@given(count=st.integers(1, 11), v=st.floats(0.01, 9), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_how_fast_the_input_is_forgotten(norm, placement, count, v, seed):
    residual = connection(placement, eps=1e-14, norm=norm)
    vectors = orthogonal(seed, count + 1)
    x = vectors[0]
    for change in vectors[1:] * v**0.5:
        x = residual(x, lambda _, change=change: change)
    law = {"pre": (1 + count * v) ** -0.5, "post": (1 + v) ** (-count / 2)}
    cosine = torch.cosine_similarity(x, vectors[0], dim=0).item()
    assert cosine == pytest.approx(law[placement], rel=1e-6)
    variance = {"pre": 1 + count * v, "post": 1.0}
    assert x.var(correction=0).item() == pytest.approx(variance[placement], rel=1e-6)


@NORMS
@given(scale=st.floats(0.01, 100), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_a_norm_ignores_the_scale_and_divides_the_gradient_by_it(norm, scale, seed):
    norm, direction = norm(D_MODEL, eps=1e-14).double(), draw(seed, 3)
    x = draw(seed + 1, 3).requires_grad_()
    y = (scale * x).detach().requires_grad_()
    assert_close(norm(y), norm(x), **EXACT)
    norm(x).backward(direction)
    norm(y).backward(direction)
    assert_close(scale * y.grad, x.grad, rtol=1e-7, atol=1e-9)  # eps is not quite zero
