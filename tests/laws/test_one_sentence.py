"""The laws of the chapter on one sentence, for random models and vectors."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS = st.integers(0, 99)
VOCAB = 23


@given(
    seed=SEEDS,
    position=st.sampled_from(["sinusoidal", "learned", "rotary", "alibi"]),
    placement=st.sampled_from(["pre", "post"]),
    last=st.integers(0, 6),
)
@settings(max_examples=20)
@torch.no_grad()
def test_what_follows_a_position_does_not_reach_its_logits(
    model, ids, seed, position, placement, last
):
    network = model(seed, position=position, norm_placement=placement)
    source, target, other = ids(seed, 5), ids(seed + 1, 7), ids(seed + 2, 7)
    changed = torch.cat((target[:, : last + 1], other[:, last + 1 :]), dim=1)
    known = slice(0, last + 1)
    before, after = network(source, target), network(source, changed)
    assert_close(after[:, known], before[:, known], **EXACT)


@given(seed=SEEDS, place=st.integers(0, 4))
@settings(max_examples=20)
@torch.no_grad()
def test_every_source_token_reaches_the_first_logits(model, ids, seed, place):
    network, source, target = model(seed), ids(seed, 5), ids(seed + 1, 1)
    changed = source.clone()
    changed[:, place] = (changed[:, place] + 1) % VOCAB
    moved = (network(changed, target) - network(source, target)).abs()
    assert moved.amax(dim=(1, 2)).min() > 1e-9


@given(seed=SEEDS, features=st.integers(2, 9), data=st.data())
def test_a_sum_of_outer_products_sends_each_row_to_its_own(seed, features, data):
    generator = torch.Generator().manual_seed(seed)
    count = data.draw(st.integers(1, features - 1))
    draw = {"generator": generator, "dtype": torch.float64}
    basis = torch.linalg.qr(torch.randn(features, features, **draw)).Q
    x = basis[:count] * (0.5 + torch.rand(count, 1, **draw))
    y = torch.randn(count, 5, **draw)
    matrix = sum(
        torch.outer(one, other) / (one @ one) for one, other in zip(x, y, strict=True)
    )
    assert_close(x @ matrix, y, **EXACT)
    rest = basis[count:] @ matrix
    assert_close(rest, torch.zeros_like(rest), **EXACT)
