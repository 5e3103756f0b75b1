"""Linear biases: the farther a key, the lower its score."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers.models.bloom.modeling_bloom import build_alibi_tensor

from bookkit.checking.facts import facts, refusals
from transformer.layers import alibi_bias, alibi_slopes, causal_mask

EXACT = {"rtol": 1e-12, "atol": 0}

heads = st.integers(1, 40)


# The equation by hand


def test_the_worked_slopes_of_the_book():
    expected = torch.tensor([1 / 2**h for h in range(1, 9)], dtype=torch.float64)
    assert torch.equal(alibi_slopes(8), expected)


def test_twelve_heads_take_every_other_slope_of_sixteen():
    expected = torch.cat((alibi_slopes(8), alibi_slopes(16)[0:8:2]))
    assert_close(alibi_slopes(12), expected, **EXACT)


def test_the_worked_bias_of_the_book():
    bias = alibi_bias(8, torch.arange(4), torch.arange(4))[0, 0]
    rows = [[0], [-0.5, 0], [-1, -0.5, 0], [-1.5, -1, -0.5, 0]]
    assert [bias[t, : t + 1].tolist() for t in range(4)] == rows
    assert torch.equal(bias, bias.T)


def test_the_formula_written_as_loops():
    query, key = torch.tensor([3, 9]), torch.tensor([0, 9, 4])
    bias = alibi_bias(5, query, key, dtype=torch.float64)
    for h, t, s in torch.cartesian_prod(*map(torch.arange, (5, 2, 3))).tolist():
        expected = -alibi_slopes(5)[h] * abs(query[t] - key[s])
        assert_close(bias[0, h, t, s], expected, **EXACT)


# Shapes


@facts("dtype", [torch.float64, torch.bfloat16, None])
def test_shape_and_dtype(dtype):
    bias = alibi_bias(3, torch.arange(5), torch.arange(7), dtype=dtype)
    assert bias.shape == (1, 3, 5, 7)
    assert bias.dtype == (torch.float32 if dtype is None else dtype)


def test_the_bias_is_made_where_the_positions_are():
    positions = torch.arange(5, device="meta")
    assert alibi_bias(3, positions, positions).device.type == "meta"


# Invariants


@given(num_heads=heads, start=st.integers(0, 500), length=st.integers(1, 9))
@settings(max_examples=25)
def test_the_bias_depends_on_the_distance_only(num_heads, start, length):
    positions = torch.arange(length)
    shifted = alibi_bias(num_heads, positions + start, positions + start)
    assert torch.equal(shifted, alibi_bias(num_heads, positions, positions))


@given(num_heads=heads)
@settings(max_examples=25)
def test_slopes_are_different_and_lie_between_the_first_and_one_256th(num_heads):
    slopes = alibi_slopes(num_heads)
    assert len(slopes.unique()) == num_heads
    assert slopes.max() < 1
    assert slopes.min() >= 2**-8


@given(power=st.integers(0, 6))
@settings(max_examples=25)
def test_slopes_of_a_power_of_two_are_a_geometric_series(power):
    slopes = alibi_slopes(2**power)
    first = 2 ** (-8 / 2**power)
    expected = first ** torch.arange(1, 2**power + 1, dtype=torch.float64)
    assert_close(slopes, expected, **EXACT)


@given(num_heads=heads)
@settings(max_examples=25)
def test_the_bias_of_one_step_is_the_slope_to_the_last_bit(num_heads):
    here, next_to = torch.tensor([3]), torch.tensor([4])
    bias = alibi_bias(num_heads, here, next_to, dtype=torch.float64)
    assert torch.equal(bias[0, :, 0, 0], -alibi_slopes(num_heads))


def test_a_narrow_type_is_rounded_once():
    positions = torch.arange(1000)
    exact = alibi_bias(12, positions, positions, dtype=torch.float32)
    narrow = alibi_bias(12, positions, positions, dtype=torch.bfloat16)
    assert torch.equal(narrow, exact.bfloat16())


@pytest.mark.compiled
def test_the_bias_can_be_compiled_whole():
    positions = torch.arange(5)
    compiled = torch.compile(alibi_bias, backend="eager", fullgraph=True)
    expected = alibi_bias(3, positions, positions)
    assert torch.equal(compiled(3, positions, positions), expected)


# Parity with Hugging Face


@facts("num_heads", [1, 2, 3, 5, 7, 8, 12, 16, 25, 32, 71])
def test_parity_with_the_slopes_of_bloom(num_heads, parity):
    bias = build_alibi_tensor(torch.ones(1, 2), num_heads, torch.float32)
    theirs = bias[:, 0, 1]  # slope times position 1
    ours = alibi_slopes(num_heads).float()
    parity(alibi_slopes, build_alibi_tensor).values(ours, theirs, rtol=1e-5, atol=0)


def test_causal_weights_are_those_of_bloom(parity):
    # it biases by the position of the key: softmax does not see the difference
    theirs = build_alibi_tensor(torch.ones(1, 11), 12, torch.float32)  # (heads, 1, 11)
    ours = alibi_bias(12, torch.arange(11), torch.arange(11))[0]
    scores, mask = torch.randn(12, 11, 11), causal_mask(11)
    weights = [
        (scores + bias).masked_fill(~mask, -torch.inf).softmax(dim=-1)
        for bias in (ours, theirs)
    ]
    parity(alibi_bias, build_alibi_tensor).values(*weights, rtol=0, atol=1e-6)


# Errors

FIVE = torch.arange(5)

BAD_INPUTS = {
    ValueError: {
        r"query_positions.*\(time,\).*got \(1, 5\)": lambda: alibi_bias(
            8, FIVE[None], FIVE
        ),
    },
    TypeError: {
        "query_positions.*got torch.float32": lambda: alibi_bias(8, FIVE.float(), FIVE),
        "dtype.*got torch.int64; pass": lambda: alibi_bias(
            8, FIVE, FIVE, dtype=torch.int64
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
