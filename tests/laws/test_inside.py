"""The laws of the chapter inside a language model, for random streams and heads."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from transformer.layers import RMSNorm, RotaryEmbedding

seeds = st.integers(0, 2**31)


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


@given(words=st.integers(1, 7), d_model=st.integers(5, 11), seed=seeds)
def test_a_head_and_the_writer_of_its_keys_are_one_map_of_low_rank(
    words, d_model, seed
):
    torch.manual_seed(seed)
    d_head, d_value = 3, 4
    widths = (d_head, d_head, d_value, d_value)
    w_q, w_k, w_v, w_o = (
        torch.randn(d_model, width, dtype=torch.float64) for width in widths
    )
    x = torch.randn(words, d_model, dtype=torch.float64)
    messages = x @ w_v @ w_o.T
    scores = (x @ w_q) @ (messages @ w_k).T / d_head**0.5
    joined = w_q @ w_k.T @ (w_v @ w_o.T).T / d_head**0.5
    assert_close(scores, x @ joined @ x.T)
    assert torch.linalg.matrix_rank(joined) <= d_head
