"""The laws of the chapter on cost and scale that belong to no single module."""

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.distributed._tools.mem_tracker import MemTracker
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.cost_and_scale.held_bytes import saved_bytes
from transformer.layers import scaled_dot_product_attention

HEADS, D_HEAD = 3, 5


def gradient(w, rows):
    return torch.autograd.grad((rows @ w).exp().mean(), w)[0]


@given(
    shares=st.lists(st.integers(1, 7), min_size=1, max_size=5), seed=st.integers(0, 99)
)
@settings(deadline=None)
def test_gradients_of_shares_weighted_by_their_size_are_that_of_the_batch(shares, seed):
    generator = torch.Generator().manual_seed(seed)
    numbers = {"generator": generator, "dtype": torch.float64}
    w, x = torch.randn(5, **numbers), torch.randn(sum(shares), 5, **numbers)
    w = w.requires_grad_()
    parts = zip(shares, x.split(shares), strict=True)
    weighted = sum(gradient(w, rows) * size / sum(shares) for size, rows in parts)
    assert_close(weighted, gradient(w, x))


@facts("n", [2, 7, 64, 101])
@facts("need_weights", [True, False])
def test_the_formula_keeps_the_weights_and_the_fused_kernel_the_result(n, need_weights):
    shape = (1, HEADS, n, D_HEAD)
    qkv = [torch.zeros(shape, requires_grad=True) for _ in range(3)]
    kept = saved_bytes(
        lambda: scaled_dot_product_attention(*qkv, need_weights=need_weights)
    )
    d = HEADS * D_HEAD
    law = 3 * n * d + HEADS * n**2 if need_weights else 4 * n * d + HEADS * n
    assert kept == 4 * law


@facts("named, tables", [(False, 3), (True, 4)])
def test_the_loss_makes_three_tables_and_a_name_for_the_logits_a_fourth(named, tables):
    n, d, vocab = 53, 3, 97
    x, matrix = torch.zeros(n, d), torch.zeros(d, vocab, requires_grad=True)
    labels = torch.zeros(n, dtype=torch.long)
    with MemTracker() as tracker:
        logits = [x @ matrix]
        loss = F.cross_entropy(logits[0] if named else logits.pop(), labels)
        loss.backward()
    held = tracker.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"]
    assert held // (4 * n * vocab) == tables
