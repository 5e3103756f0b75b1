"""The laws of the chapter on embeddings, for random tables, ids and gradients."""

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from transformer.config import TransformerConfig
from transformer.layers import TokenEmbedding
from transformer.models.heads import LanguageModelHead

VOCAB, D = 11, 7
IDS = st.lists(st.integers(0, VOCAB - 1), min_size=1, max_size=13)
SEEDS = st.integers(0, 99)
SCALED = st.booleans()


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def table(seed, scale=False):
    embedding = TokenEmbedding(VOCAB, D, scale=scale).double()
    embedding.embedding.weight.data = draw(seed, VOCAB, D)
    return embedding


def one_hot(ids):
    return F.one_hot(torch.tensor(ids), VOCAB).double()


@given(ids=IDS, seed=SEEDS, scale=SCALED)
@settings(max_examples=25)
def test_a_look_up_is_a_product_with_one_hot_rows(ids, seed, scale):
    embedding = table(seed, scale)
    product = one_hot(ids) @ embedding.embedding.weight * embedding.scale
    assert_close(embedding(torch.tensor(ids)), product)


@given(ids=IDS, seed=SEEDS, scale=SCALED)
@settings(max_examples=25)
def test_a_row_gets_the_gradients_of_all_places_where_its_token_stands(
    ids, seed, scale
):
    embedding, upstream = table(seed, scale), draw(seed + 1, len(ids), D)
    embedding(torch.tensor(ids)).backward(upstream)
    expected = torch.zeros(VOCAB, D, dtype=torch.float64)
    for id, gradient in zip(ids, upstream, strict=True):
        expected[id] += embedding.scale * gradient
    assert_close(embedding.embedding.weight.grad, expected)


@given(ids=IDS, seed=SEEDS)
@settings(max_examples=25)
def test_a_tied_logit_is_an_inner_product_and_every_row_gets_gradient(ids, seed):
    config = TransformerConfig(
        vocab_size=VOCAB, d_model=D, num_heads=1, position="none"
    )
    embedding, x = table(seed), draw(seed + 1, len(ids), D)
    logits = LanguageModelHead(config, embedding)(x[None])[0]
    rows = embedding.embedding.weight
    assert_close(logits, torch.stack([rows @ vector for vector in x]))
    F.cross_entropy(logits, torch.tensor(ids)).backward()
    wrong = (logits.softmax(dim=-1) - one_hot(ids)) / len(ids)
    assert_close(rows.grad, wrong.detach().T @ x)
    assert (rows.grad.abs().sum(dim=1) > 0).all()


def test_tied_logits_have_the_variance_of_the_table_times_the_squared_length():
    x, std = draw(0, 64), 0.3
    logits = std * draw(1, 20_000, 64) @ x
    expected = std**2 * x.square().sum()
    # 20,000 draws: the standard error of a variance is one percent
    assert abs(logits.var() / expected - 1) < 0.04


@given(seed=SEEDS, factor=st.sampled_from([0.5, 3.0, 8.0]))
@settings(max_examples=15, deadline=None)
def test_a_factor_is_a_larger_table_with_a_higher_rate(seed, factor):
    """Adam without its constant: the rate is multiplied by the factor."""
    tokens, goal, start = torch.tensor([1, 5, 1]), draw(seed, 3, D), draw(7, VOCAB, D)

    def trained(weight, scale, rate):
        weight = nn.Parameter(weight.clone())
        optimizer = torch.optim.Adam([weight], lr=rate, eps=0.0)
        for _ in range(5):
            optimizer.zero_grad()
            # a part for every row: a gradient of zero would be divided by zero
            loss = (scale * weight[tokens] - goal).square().sum()
            (loss + (scale * weight - 1).square().sum()).backward()
            optimizer.step()
        return scale * weight.detach()

    with_factor = trained(start / factor, factor, 0.01)
    assert_close(with_factor, trained(start, 1.0, 0.01 * factor), rtol=1e-6, atol=1e-6)
