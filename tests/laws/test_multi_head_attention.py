"""The laws of the chapter on multi-head attention, for random sizes and inputs."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)

EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS = st.integers(0, 99)


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def layer(seed, d_model, num_heads, **options):
    torch.manual_seed(seed)
    return MultiHeadAttention(d_model, num_heads, **options).double()


@given(num_heads=st.integers(1, 5), d_head=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_the_output_is_a_sum_over_heads(num_heads, d_head, seed):
    d_model = num_heads * d_head
    attention = layer(seed, d_model, num_heads, bias=False)
    x = draw(seed, 7, d_model)
    matrices = [
        getattr(attention, f"{name}_projection").weight.T
        for name in ("query", "key", "value", "output")
    ]
    total = torch.zeros_like(x)
    for start in range(0, d_model, d_head):
        block = slice(start, start + d_head)
        query, key, value = (x @ weight[:, block] for weight in matrices[:3])
        head = scaled_dot_product_attention(query, key, value, need_weights=True).values
        total += head @ matrices[3][block]
    assert_close(attention(x[None], x[None], x[None]).values[0], total, **EXACT)


@given(d_head=st.integers(1, 3), divisor=st.sampled_from([1, 2, 3, 4, 6, 12]))
def test_the_number_of_heads_does_not_change_the_number_of_parameters(d_head, divisor):
    d_model = 12 * d_head
    attention = MultiHeadAttention(d_model, divisor)
    count = sum(parameter.numel() for parameter in attention.parameters())
    assert count == 4 * d_model**2 + 4 * d_model


@given(d_head=st.integers(1, 6), time=st.integers(1, 9), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_the_scores_of_a_head_have_at_most_the_rank_of_its_size(d_head, time, seed):
    scores = draw(seed, time, d_head) @ draw(seed + 1, d_head, time)
    assert torch.linalg.matrix_rank(scores) <= min(d_head, time)


@given(shares=st.lists(st.floats(0, 1), min_size=2, max_size=2), seed=SEEDS)
@settings(max_examples=100, deadline=None)
def test_one_weighting_of_two_places_never_answers_both_questions(shares, seed):
    near, far = shares[0] * shares[1], (1 - shares[0]) * shares[1]
    symbol, rest = draw(seed, 2, 2), draw(seed + 1, 2)
    right = 0
    for first in (0, 1):
        for second in (0, 1):
            lead = rest + near * symbol[first] + far * symbol[second]
            right += int((lead[0] > 0) == (first == 0) and lead[0] != 0)
            right += int((lead[1] > 0) == (second == 0) and lead[1] != 0)
    assert right <= 7


@facts("num_kv_heads", [None, 3, 1])
@given(split=st.integers(1, 6), seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_what_comes_later_changes_nothing_to_the_last_bit(num_kv_heads, split, seed):
    attention = layer(seed, 18, 6, num_kv_heads=num_kv_heads)
    x = draw(seed, 2, 7, 18)
    other = x.clone()
    other[:, split:] = draw(seed + 1, 2, 7 - split, 18)
    for need_weights in (False, True):
        options = {"mask": causal_mask(7), "need_weights": need_weights}
        before = attention(x, x, x, **options).values
        after = attention(other, other, other, **options).values
        assert torch.equal(before[:, :split], after[:, :split])
        assert not torch.equal(before[:, split:], after[:, split:])


@given(real=st.integers(1, 6), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_behind_a_causal_mask_padding_on_the_right_is_hidden_already(real, seed):
    attention, x = layer(seed, 10, 5), draw(seed, 1, 7, 10)
    tokens = torch.tensor([[3] * real + [0] * (7 - real)])
    causal = causal_mask(7)
    both = causal & padding_mask(tokens, 0)
    alone = attention(x, x, x, mask=causal, need_weights=True).values
    masked = attention(x, x, x, mask=both, need_weights=True).values
    assert torch.equal(alone[:, :real], masked[:, :real])
