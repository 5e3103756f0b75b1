"""Under autocast each layer gives what it gives in float32, but for the rounding."""

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    ConvFeedForward,
    GatedFeedForward,
    KVCache,
    LayerNorm,
    LearnedPositionalEmbedding,
    MixtureOfExperts,
    MultiHeadAttention,
    PositionalEncoding,
    PositionwiseFeedForward,
    RelativeKeys,
    ResidualConnection,
    RMSNorm,
    RotaryEmbedding,
    causal_mask,
)

D_MODEL, TIME = 64, 7
# Two decimal digits of bfloat16, through two products.
BFLOAT16 = {"rtol": 0.03, "atol": 0.03}


def attend(x, **options):
    """Self-attention with a mask, at once and from a cache."""
    layer = MultiHeadAttention(D_MODEL, 4, **options).eval()
    mask = causal_mask(TIME)

    def call():
        whole = layer(x, x, x, mask=mask).values
        weighed = layer(x, x, x, mask=mask, need_weights=True).values
        autocast = torch.is_autocast_enabled("cpu")
        dtype = torch.bfloat16 if autocast else torch.float32
        cache = KVCache(len(x), layer.num_kv_heads, TIME, D_MODEL // 4, dtype=dtype)
        parts = [
            layer(*3 * [x[:, a:b]], mask=mask[a:b, :b], cache=cache).values
            for a, b in ((0, 4), (4, TIME))
        ]
        return torch.stack([whole, weighed, torch.cat(parts, dim=1)])

    return call


def apply(layer):
    return lambda x: lambda: layer.eval()(x)


LAYERS = {
    "LayerNorm": apply(LayerNorm(D_MODEL)),
    "RMSNorm": apply(RMSNorm(D_MODEL)),
    "attention": attend,
    "few keys": lambda x: attend(x, num_kv_heads=1),
    "rotary": lambda x: attend(x, rotary=RotaryEmbedding(D_MODEL // 4)),
    "relative keys": lambda x: attend(
        x, relative_keys=RelativeKeys(D_MODEL // 4, max_distance=3)
    ),
    "feed-forward": apply(PositionwiseFeedForward(D_MODEL, 33)),
    "gated": apply(GatedFeedForward(D_MODEL, 33)),
    "convolution": apply(ConvFeedForward(D_MODEL, 33)),
    "experts": apply(MixtureOfExperts(D_MODEL, 17, num_experts=1, experts_per_token=1)),
    "sinusoids": apply(PositionalEncoding(D_MODEL)),
    "learned": apply(LearnedPositionalEmbedding(D_MODEL, max_len=TIME)),
    "residual": lambda x: (
        lambda: ResidualConnection(RMSNorm(D_MODEL), placement="pre")(
            x, lambda x: 2 * x
        )
    ),
}


@facts("size", [1.0, 0.001])
@facts("name", LAYERS)
@torch.no_grad()
def test_autocast_rounds_and_does_no_more(name, size):
    torch.manual_seed(0)
    x = size * torch.randn(2, TIME, D_MODEL)
    call = LAYERS[name](x)
    expected = call()
    with torch.autocast("cpu", torch.bfloat16):
        found = call()
    assert_close(found.float(), expected, **BFLOAT16)
    scale = expected.abs().max().clamp(min=1e-9)  # also where all numbers are small
    assert_close(found.float() / scale, expected / scale, **BFLOAT16)


def test_small_features_by_hand():
    x = torch.full((1, D_MODEL), 0.001)
    with torch.autocast("cpu", torch.bfloat16):
        rms = RMSNorm(D_MODEL)(x.bfloat16())
    # 0.001 / sqrt(0.000001 + 0.000001)
    assert_close(rms.float(), torch.full((1, D_MODEL), 0.7071), rtol=0.01, atol=0)


def test_the_weights_that_are_returned_are_those_before_dropout():
    layer = MultiHeadAttention(D_MODEL, 4, dropout=0.5)
    x = torch.randn(2, TIME, D_MODEL)
    expected = layer.eval()(x, x, x, need_weights=True).weights
    found = layer.train()(x, x, x, need_weights=True)
    assert torch.equal(found.weights, expected)
    assert_close(found.weights.sum(dim=-1), torch.ones(2, 4, TIME))
