"""A model that `torch.jit.trace` has recorded computes the same, at any length."""

import pytest
import torch
from torch.testing import assert_close

from transformer.layers import causal_mask

# Sizes are tensors while a model is recorded, so the type checks of tests are off.
pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
]
# Sums of at most 24 products in float64, in the same order.
SAME = {"rtol": 0, "atol": 1e-12}


def ids(batch, time):
    return torch.randint(1, 13, (batch, time))


def check(model, given, others):
    """Record a model with one input, and compare it on that and on another one."""
    traced = torch.jit.trace(model, given, check_trace=False)  # done here
    for inputs in (given, others):
        assert_close(traced(*inputs), model(*inputs), **SAME)


@torch.no_grad()
def test_a_language_model(decoder_only):
    check(decoder_only, (ids(2, 5),), (ids(3, 7),))


@torch.no_grad()
def test_an_encoder(encoder_only):
    check(encoder_only, (ids(2, 5),), (ids(3, 7),))


@torch.no_grad()
def test_an_encoder_decoder(seq2seq):
    check(seq2seq, (ids(2, 5), ids(2, 3)), (ids(3, 7), ids(3, 11)))


def test_a_function_takes_the_sizes_of_what_is_recorded():
    traced = torch.jit.trace(lambda x: causal_mask(x.size(1)), (ids(2, 5),))
    assert torch.equal(traced(ids(3, 7)), causal_mask(7))


def test_doors_are_closed_again_afterwards(refuses):
    torch.jit.trace(lambda x: causal_mask(x.size(1)), (ids(2, 5),))
    refuses(lambda: causal_mask(torch.tensor(5)), TypeError, r"target.*got tensor\(5\)")
