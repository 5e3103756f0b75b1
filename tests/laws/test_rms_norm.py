"""The laws of the chapter on RMSNorm, for random inputs and random models."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers import layer_norm, rms_norm
from transformer.models import DecoderOnlyTransformer

EXACT = {"rtol": 1e-9, "atol": 1e-9}
D_MODEL, VOCAB = 19, 23
SEEDS = st.integers(0, 99)
EPS = st.sampled_from([1e-12, 1e-5, 0.7])


def draw(seed, *shape, shift=0.0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(*shape, D_MODEL, generator=generator, dtype=torch.float64)
    return x + shift


def ones():
    return torch.ones(D_MODEL, dtype=torch.float64)


@given(eps=EPS, shift=st.floats(-9, 9), seed=SEEDS)
@settings(max_examples=25)
def test_layer_norm_is_rms_norm_of_the_centered_vector(eps, shift, seed):
    x, (gain, bias) = draw(seed, 5, shift=shift), draw(seed + 1, 2)
    centered = x - x.mean(dim=-1, keepdim=True)
    expected = rms_norm(centered, gain, eps=eps) + bias
    assert_close(layer_norm(x, gain, bias, eps=eps), expected, **EXACT)


@given(shift=st.floats(-9, 9), seed=SEEDS)
@settings(max_examples=25)
def test_the_share_of_the_mean_is_the_angle_between_the_norms(shift, seed):
    x = draw(seed, 5, shift=shift)
    share = x.mean(dim=-1).square() / x.square().mean(dim=-1)
    left = layer_norm(x, ones(), 0 * ones(), eps=1e-15)
    right = rms_norm(x, ones(), eps=1e-15)
    cosine = torch.cosine_similarity(left, right, dim=-1)
    assert_close(cosine, (1 - share).sqrt(), **EXACT)


def test_the_mean_share_of_random_signs_is_one_by_the_number_of_features():
    x = draw(3, 20_000)
    share = x.mean(dim=-1).square() / x.square().mean(dim=-1)
    # the standard error of 20,000 shares near 1/19 is below 0.0006
    assert share.mean().item() == pytest.approx(1 / D_MODEL, abs=2e-3)


@given(eps=EPS, scale=st.floats(0.01, 100), seed=SEEDS)
@settings(max_examples=25)
def test_a_scale_acts_on_eps_alone(eps, scale, seed):
    x = draw(seed, 5)
    expected = rms_norm(x, ones(), eps=eps / scale**2)
    assert_close(rms_norm(scale * x, ones(), eps=eps), expected, **EXACT)


@given(seed=SEEDS)
@settings(max_examples=25)
def test_a_large_shift_drowns_all_differences(seed):
    y = rms_norm(draw(seed, 5, shift=1e9), ones(), eps=1e-6)
    assert_close(y, ones().expand(5, -1), rtol=0, atol=1e-7)  # they shrink like 1e-9


@given(eps=EPS, seed=SEEDS)
@settings(max_examples=25)
def test_rms_norm_commutes_with_rotations(eps, seed):
    x, rotation = draw(seed, 5), torch.linalg.qr(draw(seed + 1, D_MODEL)).Q
    expected = rms_norm(x, ones(), eps=eps) @ rotation
    assert_close(rms_norm(x @ rotation, ones(), eps=eps), expected, **EXACT)


@given(eps=EPS, seed=SEEDS)
@settings(max_examples=25)
def test_the_gradient_follows_its_formula_and_its_bound(eps, seed):
    x, v, (gain,) = draw(seed, 5).requires_grad_(), draw(seed + 1, 5), draw(seed + 2, 1)
    (gradient,) = torch.autograd.grad(rms_norm(x, gain, eps=eps), x, v)
    r = (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    y, u = x / r, v * gain
    law = (u - (u * y).mean(dim=-1, keepdim=True) * y) / r
    assert_close(gradient, law.detach(), **EXACT)
    assert (gradient.norm(dim=-1) <= u.norm(dim=-1) / eps**0.5).all()


@facts("eps", [1e-6, 0.3])
def test_at_zero_the_gradient_is_divided_by_the_root_of_eps(eps):
    x, v = torch.zeros(3, D_MODEL, dtype=torch.float64).requires_grad_(), draw(0, 3)
    (gradient,) = torch.autograd.grad(rms_norm(x, ones(), eps=eps), x, v)
    assert_close(gradient, v / eps**0.5, **EXACT)


def random_model(seed, **choices):
    """A pre-norm model with LayerNorm whose parameters are all random."""
    config = TransformerConfig(
        vocab_size=VOCAB,
        max_len=11,
        num_encoder_layers=0,
        num_decoder_layers=3,
        d_model=2 * 13,
        d_ff=17,
        num_heads=1,
        norm_placement="pre",
        final_norm=True,
        attention_bias=True,
        logits_bias=True,
        dropout=0.0,
        tie_embeddings=False,  # the output map must stay as it is
        **choices,
    )
    torch.manual_seed(seed)
    model = DecoderOnlyTransformer(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model


@torch.no_grad()
def center_writers(model):
    """Take the mean out of everything that is written to the stream."""
    tables = [model.embedding.tokens.embedding]
    if model.config.position == "learned":
        tables.append(model.embedding.positions.embedding)
    for table in tables:
        table.weight -= table.weight.mean(dim=1, keepdim=True)
    for layer in model.decoder.layers:
        attention, feed_forward = layer.self_attention, layer.feed_forward
        for writer in (attention.output_projection, feed_forward.down_projection):
            writer.weight -= writer.weight.mean(dim=0)
            writer.bias -= writer.bias.mean()


@torch.no_grad()
def fold_biases(model):
    """Let the maps behind each norm take over its bias."""
    final = (model.decoder.norm, [model.head.projection])
    pairs = [final]
    for layer in model.decoder.layers:
        a, names = layer.self_attention, ("query", "key", "value")
        readers = [getattr(a, f"{name}_projection") for name in names]
        pairs.append((layer.self_attention_residual.norm, readers))
        pairs.append(
            (layer.feed_forward_residual.norm, [layer.feed_forward.up_projection])
        )
    for norm, readers in pairs:
        for reader in readers:
            reader.bias += reader.weight @ norm.bias


def with_rms_norm(model):
    """The same weights behind RMSNorm."""
    other = DecoderOnlyTransformer(replace(model.config, norm="rms")).double()
    weights = model.state_dict()
    other.load_state_dict({name: weights[name] for name in other.state_dict()})
    return other.eval()


@facts(
    "choices",
    [
        {"position": "rotary"},
        {"position": "learned"},
        {"position": "none", "parallel_residual": True},
    ],
    ids=lambda choices: "-".join(choices),
)
@given(seed=SEEDS)
@settings(max_examples=3, deadline=None)
def test_a_pre_norm_model_is_a_model_with_rms_norm(choices, seed):
    original = random_model(seed, **choices)
    tokens = torch.randint(1, VOCAB, (2, 7))
    rewritten = deepcopy(original)
    center_writers(rewritten)
    half_way = with_rms_norm(rewritten)(tokens)
    fold_biases(rewritten)
    assert_close(with_rms_norm(rewritten)(tokens), original(tokens), **EXACT)
    assert not torch.allclose(half_way, original(tokens))


@torch.no_grad()
def scale_writers(model, factor):
    """Multiply everything that is written to the stream."""
    model.embedding.tokens.embedding.weight *= factor
    for layer in model.decoder.layers:
        attention, feed_forward = layer.self_attention, layer.feed_forward
        for writer in (attention.output_projection, feed_forward.down_projection):
            writer.weight *= factor
            writer.bias *= factor


@given(seed=SEEDS)
@settings(max_examples=3, deadline=None)
def test_a_factor_of_all_writers_takes_the_place_of_another_eps(seed):
    original = random_model(seed, position="rotary", norm="rms", norm_eps=0.3)
    config, tokens = replace(original.config, norm_eps=0.1), torch.arange(1, 8)[None]
    other = DecoderOnlyTransformer(config).double().eval()
    other.load_state_dict(original.state_dict())
    assert not torch.allclose(other(tokens), original(tokens))
    scale_writers(other, (0.1 / 0.3) ** 0.5)
    assert_close(other(tokens), original(tokens), **EXACT)
