"""The laws of the chapter inside a language model, for random rows and streams."""

import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch.testing import assert_close

from transformer.layers import RMSNorm, RotaryEmbedding

seeds = st.integers(0, 2**31)


def unit_rows(count, size, seed):
    torch.manual_seed(seed)
    rows = torch.randn(count, size, dtype=torch.float64)
    return rows / rows.norm(dim=1, keepdim=True)


@given(k=st.integers(1, 5), seed=seeds)
def test_rows_that_are_nearly_at_right_angles_are_found_in_their_sum(k, seed):
    rows = unit_rows(23, 997, seed)
    largest = (rows @ rows.T).fill_diagonal_(0).abs().max()
    assume(largest < 1 / (2 * k - 1))
    chosen = torch.randperm(23)[:k]
    found = (rows @ rows[chosen].sum(dim=0)).topk(k).indices
    assert set(found.tolist()) == set(chosen.tolist())


@given(k=st.integers(2, 7))
def test_at_the_bound_a_row_outside_the_sum_can_tie(k):
    # All cosines are of the size 1 / (2 k - 1).
    mu = 1 / (2 * k - 1)
    signs = torch.ones(k + 1, k + 1, dtype=torch.float64)
    signs[:k, :k] = -1  # rows of the sum disagree, and agree with the one outside
    cosines = (mu * signs).fill_diagonal_(1)
    products = cosines[:, :k].sum(dim=1)
    assert torch.linalg.eigvalsh(cosines).min() > -1e-12  # there are such rows
    assert_close(products[k], products[0], rtol=0, atol=1e-12)


@given(writers=st.integers(1, 11), distance=st.integers(0, 40), seed=seeds)
def test_a_score_is_a_sum_over_the_writers_of_the_stream(writers, distance, seed):
    torch.manual_seed(seed)
    d_model, d_head = 13, 6
    written = torch.randn(writers, d_model, dtype=torch.float64)
    query = torch.randn(d_head, dtype=torch.float64)
    w_key = torch.randn(d_model, d_head, dtype=torch.float64)
    norm = RMSNorm(d_model, eps=1e-9).double()
    torch.nn.init.normal_(norm.weight)
    turn = RotaryEmbedding(d_head).double()
    here, there = torch.tensor([distance]), torch.tensor([0])

    def score(key):
        turned = turn(query.unsqueeze(0), here) @ turn(key.unsqueeze(0), there).T
        return turned.squeeze() / d_head**0.5

    stream = written.sum(dim=0)
    size = (stream.square().mean() + norm.eps).sqrt()
    parts = sum(score(b * norm.weight / size @ w_key) for b in written)
    assert_close(score(norm(stream) @ w_key), parts, rtol=1e-9, atol=1e-9)
