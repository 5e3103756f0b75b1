"""Learned scores of distances: the bias of T5 and the keys of Shaw and others."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from bookkit.checking.facts import facts, refusals
from transformer.layers import RelativeKeys, RelativePositionBias, relative_buckets

FLOAT64 = {"rtol": 0, "atol": 1e-12}

starts = st.integers(0, 500)
lengths = st.integers(1, 9)


def t5_attention(*, is_decoder, num_heads=3):
    config = T5Config(
        d_model=6,
        d_kv=2,
        num_heads=num_heads,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=20,
        is_decoder=is_decoder,
    )
    return T5Attention(config, has_relative_attention_bias=True, layer_idx=0)


# The equations by hand


def test_each_head_reads_its_column_at_the_bucket_of_the_distance():
    layer = RelativePositionBias(3, num_buckets=8, max_distance=20)
    query, key = torch.tensor([0, 40]), torch.tensor([3, 0, 40, 41, 7])
    came = layer(query, key)
    for t, s in torch.cartesian_prod(torch.arange(2), torch.arange(5)).tolist():
        bucket = relative_buckets(
            key[s, None] - query[t], num_buckets=8, max_distance=20, bidirectional=True
        )
        expected = layer.embedding.weight[bucket[0]]
        assert torch.equal(came[0, :, t, s], expected)


@facts("max_distance", [1, 2, 3, 30])
def test_relative_keys_written_as_loops(max_distance):
    layer = RelativeKeys(5, max_distance=max_distance).double()
    query = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    asked, known = torch.tensor([2, 7, 0, 9]), torch.tensor([0, 1, 4, 9, 12, 7])
    came = layer(query, asked, known)
    for row, t in enumerate(asked.tolist()):
        for column, s in enumerate(known.tolist()):
            clipped = max(-max_distance, min(max_distance, s - t))
            vector = layer.embedding.weight[clipped + max_distance]
            assert_close(came[:, :, row, column], query[:, :, row] @ vector, **FLOAT64)


def test_distances_beyond_the_clip_share_one_vector():
    layer, query = RelativeKeys(5, max_distance=2), torch.randn(1, 1, 1, 5)
    scores = layer(query, torch.tensor([10]), torch.arange(21))[0, 0, 0]
    assert (scores[:9] == scores[8]).all()
    assert (scores[12:] == scores[12]).all()
    assert len(scores.unique()) == 5


@facts("bidirectional", [True, False])
@facts("num_buckets, max_distance", [(8, 5), (10, 11), (4, 3)])
def test_the_bias_of_every_distance_is_that_of_its_bucket(
    num_buckets, max_distance, bidirectional
):
    sizes = {"num_buckets": num_buckets, "max_distance": max_distance}
    layer = RelativePositionBias(3, **sizes, bidirectional=bidirectional)
    far = torch.arange(-max_distance - 7, max_distance + 8)
    bucket = relative_buckets(far, **sizes, bidirectional=bidirectional)
    bias = layer(torch.tensor([0]), far)[0, :, 0]
    assert torch.equal(bias, layer.embedding.weight[bucket].T)


# Shapes


def test_shapes_and_parameters():
    bias = RelativePositionBias(7, num_buckets=32)
    assert bias(torch.arange(5), torch.arange(11)).shape == (1, 7, 5, 11)
    assert {n: p.shape for n, p in bias.named_parameters()} == {
        "embedding.weight": (32, 7)
    }
    keys = RelativeKeys(13, max_distance=16)
    query = torch.randn(2, 3, 5, 13)
    assert keys(query, torch.arange(5), torch.arange(11)).shape == (2, 3, 5, 11)
    assert {n: p.shape for n, p in keys.named_parameters()} == {
        "embedding.weight": (33, 13)
    }


@facts("dtype", [torch.float64, torch.bfloat16])
def test_the_dtype_of_the_parameters_is_that_of_the_result(dtype):
    positions, query = torch.arange(5), torch.randn(2, 3, 5, 8).to(dtype)
    assert RelativePositionBias(3).to(dtype)(positions, positions).dtype == dtype
    keys = RelativeKeys(8, max_distance=3).to(dtype)
    assert keys(query, positions, positions).dtype == dtype


@facts("dtype", [torch.float64, torch.bfloat16])
def test_the_bias_has_the_dtype_that_is_asked_for(dtype):
    layer, positions = RelativePositionBias(3), torch.arange(5)
    bias = layer(positions, positions, dtype=dtype)
    assert torch.equal(bias, layer(positions, positions).to(dtype))


def test_entries_start_small():
    for layer in (RelativePositionBias(2000), RelativeKeys(2000, max_distance=16)):
        # 64,000 draws and more: the standard error of the deviation is 0.3 % of it
        assert abs(layer.embedding.weight.std() - 0.02) < 0.0004


# Invariants


@given(start=starts, target=lengths, source=lengths, bidirectional=st.booleans())
@settings(max_examples=25)
def test_the_bias_depends_on_the_distance_only(start, target, source, bidirectional):
    layer = RelativePositionBias(
        3, num_buckets=8, max_distance=20, bidirectional=bidirectional
    )
    query, key = torch.arange(target), torch.arange(source)
    assert torch.equal(layer(query + start, key + start), layer(query, key))


@given(start=starts, target=lengths, source=lengths)
@settings(max_examples=25)
def test_relative_keys_depend_on_the_distance_only(start, target, source):
    layer, x = RelativeKeys(5, max_distance=3), torch.randn(2, 3, target, 5)
    query, key = torch.arange(target), torch.arange(source)
    assert torch.equal(layer(x, query + start, key + start), layer(x, query, key))


@facts("bidirectional", [True, False])
def test_one_query_gets_the_row_it_has_among_all(bidirectional):
    positions = torch.arange(50)
    bias = RelativePositionBias(3, max_distance=20, bidirectional=bidirectional)
    whole = bias(positions, positions)
    assert torch.equal(bias(positions[49:], positions), whole[:, :, 49:])
    keys, query = RelativeKeys(5, max_distance=3).double(), torch.randn(1, 3, 50, 5)
    whole = keys(query.double(), positions, positions)
    last = keys(query[:, :, 49:].double(), positions[49:], positions)
    assert_close(last, whole[:, :, 49:], **FLOAT64)


def test_only_the_buckets_in_use_get_gradient():
    layer = RelativePositionBias(3, num_buckets=8, max_distance=20, bidirectional=False)
    layer(torch.arange(3), torch.arange(3)).sum().backward()
    counts = torch.tensor([6.0, 2, 1, 0, 0, 0, 0, 0])  # later keys share bucket 0
    assert torch.equal(layer.embedding.weight.grad, counts[:, None].expand(8, 3))


# Devices, copies and compilation


def test_a_module_made_on_the_meta_device_knows_its_buckets():
    with torch.device("meta"):
        layer = RelativePositionBias(3)
    positions = torch.arange(5)
    assert layer(positions.to("meta"), positions.to("meta")).shape == (1, 3, 5, 5)
    expected = RelativePositionBias(3)
    layer.load_state_dict(expected.state_dict(), assign=True)
    assert torch.equal(layer(positions, positions), expected(positions, positions))


@pytest.mark.compiled
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_modules_can_be_copied_and_compiled_whole(backend):
    positions, query = torch.arange(5), torch.randn(2, 3, 5, 8)
    bias, keys = RelativePositionBias(3), RelativeKeys(8, max_distance=3)
    compiled = torch.compile(copy.deepcopy(bias), backend=backend, fullgraph=True)
    assert_close(compiled(positions, positions), bias(positions, positions))
    compiled = torch.compile(copy.deepcopy(keys), backend=backend, fullgraph=True)
    inputs = (query, positions, positions)
    assert_close(compiled(*inputs), keys(*inputs))


def test_autocast_scores_in_half_precision():
    positions, query = torch.arange(5), torch.randn(2, 3, 5, 8)
    keys = RelativeKeys(8, max_distance=3)
    with torch.autocast("cpu", torch.bfloat16):
        scores = keys(query.bfloat16(), positions, positions)
    assert scores.dtype == torch.bfloat16
    # numbers below 1, each operand and the sum rounded to 8 bits
    expected = keys(query, positions, positions)
    assert_close(scores.float(), expected, rtol=0.02, atol=0.002)


# Parity with Hugging Face


@facts("dtype", [torch.float32, torch.float64])
@facts("is_decoder", [True, False])
@facts("past", [0, 31])
def test_parity_with_t5_and_gradient(past, is_decoder, dtype, parity):
    theirs = t5_attention(is_decoder=is_decoder).to(dtype)
    ours = RelativePositionBias(
        3, num_buckets=8, max_distance=20, bidirectional=not is_decoder
    ).to(dtype)
    ours.embedding.load_state_dict(theirs.relative_attention_bias.state_dict())
    bias = ours(torch.arange(past, past + 11), torch.arange(past + 11))
    expected = theirs.compute_bias(11, past + 11, past_seen_tokens=past)
    direction = torch.randn(expected.shape).to(dtype)
    bias.backward(direction)
    expected.backward(direction)
    compared = parity(ours, T5Attention.compute_bias)
    compared.values(bias, expected, rtol=0, atol=0)
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    theirs_gradient = theirs.relative_attention_bias.weight.grad
    gradient = ours.embedding.weight.grad
    compared.gradients(gradient, theirs_gradient, rtol=0, atol=tolerance)


def test_parity_with_a_vector_for_each_pair_and_gradients():
    # section 3.3 of the paper: (target, heads, d_head) times (target, d_head, source)
    layer, query = RelativeKeys(5, max_distance=2).double(), torch.randn(3, 4, 5)
    query = query.double().requires_grad_()
    positions = torch.arange(4)
    distances = (positions - positions[:, None]).clamp(-2, 2) + 2
    vectors = layer.embedding.weight[distances]  # (target, source, d_head)
    expected = (query.transpose(0, 1) @ vectors.mT).transpose(0, 1)
    came, direction = layer(query, positions, positions), torch.randn(3, 4, 4).double()
    assert_close(came, expected, **FLOAT64)
    inputs = (query, layer.embedding.weight)
    gradients = torch.autograd.grad(came, inputs, direction)
    assert_close(gradients, torch.autograd.grad(expected, inputs, direction), **FLOAT64)


# Errors

FIVE = torch.arange(5)
QUERY = torch.zeros(2, 3, 5, 8)

BAD_INPUTS = {
    ValueError: {
        "num_heads.*at least 1.*got 0": lambda: RelativePositionBias(0),
        "num_buckets.*got 7; choose": lambda: RelativePositionBias(3, num_buckets=7),
        "max_distance.*at least 9.*got 8": lambda: RelativePositionBias(
            3, max_distance=8
        ),
        "d_head.*at least 1.*got 0": lambda: RelativeKeys(0, max_distance=3),
        "max_distance.*at least 1.*got 0": lambda: RelativeKeys(8, max_distance=0),
        "query_positions.*got 4 for 5 queries": lambda: RelativeKeys(8, max_distance=3)(
            QUERY, FIVE[:4], FIVE
        ),
    },
    TypeError: {
        "key_positions.*got torch.float32": lambda: RelativePositionBias(3)(
            FIVE, FIVE.float()
        ),
        "dtype.*got torch.int64; pass": lambda: RelativePositionBias(3)(
            FIVE, FIVE, dtype=torch.int64
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
