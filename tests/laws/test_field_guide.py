"""The laws of the field guide: what schemes know of order, shifts and distances."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers import (
    RelativeKeys,
    RelativePositionBias,
    RotaryEmbedding,
    alibi_bias,
    alibi_slopes,
)
from transformer.models import DecoderOnlyTransformer, EncoderOnlyTransformer

FLOAT64 = {"rtol": 0, "atol": 1e-12}
D_HEAD, HEADS, VOCAB = 14, 4, 23


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def relative_scores(scheme, positions, seed):
    """Scores of fixed queries and keys that stand at the given positions."""
    torch.manual_seed(seed)
    shape = (1, HEADS, len(positions), D_HEAD)
    query, key = draw(seed, *shape), draw(seed + 1, *shape)
    if scheme == "rotary":
        rotary = RotaryEmbedding(D_HEAD)
        return rotary(query, positions) @ rotary(key, positions).mT
    content = query @ key.mT
    if scheme == "alibi":
        return content + alibi_bias(HEADS, positions, positions, dtype=torch.float64)
    if scheme == "relative":
        bias = RelativePositionBias(HEADS, num_buckets=8, max_distance=20).double()
        return content + bias(positions, positions)
    keys = RelativeKeys(D_HEAD, max_distance=3).double()
    return content + keys(query, positions, positions)


@facts("scheme", ["rotary", "alibi", "relative", "relative_keys"])
@given(start=st.integers(0, 500), time=st.integers(1, 11), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_relative_scores_ignore_where_a_text_stands(scheme, start, time, seed):
    positions = torch.arange(time)
    shifted = relative_scores(scheme, positions + start, seed)
    expected = relative_scores(scheme, positions, seed)
    if scheme == "rotary":
        # angles of some hundred radians are off by their last bit
        assert_close(shifted, expected, rtol=0, atol=1e-11)
    else:
        assert torch.equal(shifted, expected)


def without_positions(*, encoder=0, decoder=0):
    """A fresh model without any position encoding, in float64."""
    torch.manual_seed(1)
    model = EncoderOnlyTransformer if encoder else DecoderOnlyTransformer
    config = TransformerConfig(
        vocab_size=VOCAB,
        num_encoder_layers=encoder,
        num_decoder_layers=decoder,
        d_model=HEADS * D_HEAD,
        d_ff=37,
        num_heads=HEADS,
        position="none",
    )
    return model(config).double().eval()


@given(order=st.permutations(range(7)), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_an_encoder_without_positions_is_permutation_equivariant(order, seed):
    model = without_positions(encoder=2)
    tokens = torch.randint(VOCAB, (1, 7), generator=torch.Generator().manual_seed(seed))
    assert_close(model(tokens[:, order]), model(tokens)[:, order], **FLOAT64)


@given(past=st.permutations(range(6)), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_one_causal_layer_sees_its_past_as_a_heap(past, seed):
    model = without_positions(decoder=1)
    tokens = torch.randint(VOCAB, (1, 7), generator=torch.Generator().manual_seed(seed))
    permuted = tokens[:, [*past, 6]]
    assert_close(model(permuted)[:, -1], model(tokens)[:, -1], **FLOAT64)


def test_two_causal_layers_know_the_order_of_their_past():
    model, tokens = without_positions(decoder=2), torch.arange(7)[None]
    permuted = tokens[:, [1, 0, 2, 3, 4, 5, 6]]
    difference = model(permuted)[:, -1] - model(tokens)[:, -1]
    assert difference.abs().max() > 1e-3


@given(
    power=st.integers(0, 5),
    limit=st.floats(0, 4),
    time=st.integers(2, 300),
    far=st.integers(1, 100),
    seed=st.integers(0, 99),
)
@settings(max_examples=50, deadline=None)
def test_alibi_bounds_what_all_far_keys_weigh_together(power, limit, time, far, seed):
    heads = 2**power
    content = limit * (2 * torch.rand(heads, time).double() - 1)  # of the last query
    positions = torch.arange(time)
    bias = alibi_bias(heads, positions[-1:], positions, dtype=torch.float64)[0, :, 0]
    weights = (content + bias).softmax(dim=-1)
    beyond = weights[:, positions[-1] - positions >= far].sum(dim=-1)
    slopes = alibi_slopes(heads)
    bound = (2 * limit - slopes * far).exp() / (1 - (-slopes).exp())
    assert (beyond <= bound + 1e-12).all()
