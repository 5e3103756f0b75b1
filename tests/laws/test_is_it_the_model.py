"""The laws of the chapter on checks of a fresh model, for random models."""

from math import log

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.models import count_parameters

EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS = st.integers(0, 99)
VOCAB = 23


@given(seed=SEEDS, spread=st.floats(0.01, 30.0), vocab=st.integers(2, 50))
def test_the_first_loss_lies_between_the_guess_and_its_bound(seed, spread, vocab):
    generator = torch.Generator().manual_seed(seed)
    logits = spread * torch.randn(vocab, generator=generator, dtype=torch.float64)
    mean = (logits.logsumexp(dim=0) - logits).mean().item()  # over all labels
    width = (logits.max() - logits.min()).item()
    assert log(vocab) - 1e-12 <= mean <= log(vocab) + width**2 / 8 + 1e-12
    assert mean <= log(vocab) + width


def loss_of(network, source, target):
    logits = network(source, target[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())


@given(seed=SEEDS, scale=st.booleans())
@settings(max_examples=20)
def test_the_gradient_of_a_tied_matrix_is_the_sum_of_both(model, ids, seed, scale):
    tied = model(seed, scale_embeddings=scale)
    untied = model(seed, scale_embeddings=scale, tie_embeddings=False)
    state = tied.state_dict()
    untied.load_state_dict(state)  # starts both matrices from the one
    for network in (tied, untied):
        loss_of(network, ids(seed, 5), ids(seed + 1, 7)).backward()
    shared = tied.embedding.tokens.embedding.weight.grad
    both = (untied.embedding.tokens.embedding.weight.grad, untied.head.projection)
    assert_close(shared, both[0] + both[1].weight.grad, **EXACT)


def test_tying_saves_one_matrix(model):
    saved = count_parameters(model(0, tie_embeddings=False)) - count_parameters(
        model(0)
    )
    assert saved == VOCAB * 20


@facts("placement", ["pre", "post"])
@torch.no_grad()
def test_the_last_position_alone_gives_the_last_logits(model, ids, placement):
    network = model(0, norm_placement=placement)
    memory, target = network.encode(ids(0, 5)), ids(1, 7)
    states = network.decoder(network.embedding(target), memory)
    assert_close(
        network.head(states[:, -1:]), network(ids(0, 5), target)[:, -1:], **EXACT
    )
