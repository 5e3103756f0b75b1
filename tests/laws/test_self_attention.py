"""The laws of the chapter on self-attention, for random queries, keys and values."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from transformer.layers import scaled_dot_product_attention

EXACT = {"rtol": 1e-12, "atol": 1e-12}

sizes = st.integers(1, 9)
seeds = st.integers(0, 2**31)


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64)


@given(target=sizes, source=sizes, d_head=sizes, seed=seeds)
def test_each_row_of_weights_sums_to_one(target, source, d_head, seed):
    torch.manual_seed(seed)
    query, key = 10 * draw(target, d_head), 10 * draw(source, d_head)
    _, weights = scaled_dot_product_attention(query, key, key, need_weights=True)
    assert (weights >= 0).all()
    assert_close(weights.sum(dim=-1), torch.ones(target).double(), **EXACT)


@given(source=sizes, seed=seeds)
def test_values_lie_between_the_smallest_and_the_largest_value(source, seed):
    torch.manual_seed(seed)
    query, key, value = draw(5, 3), draw(source, 3), draw(source, 7)
    mixed, _ = scaled_dot_product_attention(query, key, value, need_weights=True)
    assert (mixed >= value.amin(dim=0) - 1e-12).all()
    assert (mixed <= value.amax(dim=0) + 1e-12).all()


@given(source=sizes, seed=seeds)
def test_the_order_of_the_keys_does_not_matter(source, seed):
    torch.manual_seed(seed)
    query, key, value = draw(5, 3), draw(source, 3), draw(source, 7)
    order = torch.randperm(source)
    values, _ = scaled_dot_product_attention(query, key, value, need_weights=True)
    permuted, _ = scaled_dot_product_attention(
        query, key[order], value[order], need_weights=True
    )
    assert_close(permuted, values, **EXACT)


@given(time=st.integers(2, 9), seed=seeds)
def test_adding_one_vector_to_all_keys_changes_nothing(time, seed):
    torch.manual_seed(seed)
    query, key, value = draw(5, 3), draw(time, 3), draw(time, 7)
    values, _ = scaled_dot_product_attention(query, key, value, need_weights=True)
    shifted, _ = scaled_dot_product_attention(
        query, key + draw(3), value, need_weights=True
    )
    assert_close(shifted, values, rtol=1e-10, atol=1e-10)  # scores grow by the shift


@settings(max_examples=20)
@given(d_head=st.sampled_from([4, 16, 64, 256]), seed=seeds)
def test_scaling_keeps_the_variance_of_scores_near_one(d_head, seed):
    torch.manual_seed(seed)
    query, key = draw(200, d_head), draw(200, d_head)
    variance = (query @ key.mT * d_head**-0.5).var()
    # 40,000 scores from 400 vectors: the spread of this estimate is below 0.1
    assert abs(variance - 1) < 0.6


def test_scores_of_a_head_have_at_most_the_rank_of_the_head():
    query, key, value = draw(32, 8), draw(32, 8), draw(32, 8)
    scores = query @ key.mT
    assert torch.linalg.matrix_rank(scores) == 8
    _, weights = scaled_dot_product_attention(
        query, key, value, scale=1.0, need_weights=True
    )
    row_constant = weights.log() - scores  # what softmax subtracts from a row
    assert_close(row_constant, row_constant[:, :1].expand_as(scores), **EXACT)
