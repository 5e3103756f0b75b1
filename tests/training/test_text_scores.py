"""Tests of what a long text costs."""

import copy
import math

import pytest
import torch
from torch import nn, optim
from torch.testing import assert_close

from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer
from transformer.training import (
    bits_per_character,
    score_text,
    score_while_learning,
)

VOCAB = 11


@pytest.fixture
def model():
    torch.manual_seed(0)
    config = TransformerConfig.decoder_only(
        vocab_size=VOCAB,
        num_decoder_layers=1,
        d_model=6,
        d_ff=5,
        num_heads=3,
        position="rotary",
        dropout=0.5,
    )
    return DecoderOnlyTransformer(config).double()


def text(length):
    return torch.randint(VOCAB, (length,), generator=torch.Generator().manual_seed(1))


def one_by_one(model, ids, seen):
    """Score each token by a pass of its own, over as many tokens as it may see."""
    model.eval()
    found = []
    for place in range(1, len(ids)):
        window = ids[place - seen(place) : place]
        with torch.no_grad():
            logits = model(window[None])[0, -1].float()
        found.append(-logits.log_softmax(dim=-1)[ids[place]])
    return torch.stack(found)


@pytest.mark.parametrize("length", [2, 5, 8, 9, 13, 30, 61])
@pytest.mark.parametrize("stride", [1, 3, 7])
def test_each_token_is_scored_once_with_what_its_window_has(model, length, stride):
    width, ids = 7, text(length)

    def seen(place):
        if place <= width:
            return place
        window = -(-(place - width) // stride)  # the first one that reaches it
        start = min(stride * window, length - width - 1)
        return place - start

    expected = one_by_one(model, ids, seen)
    found = score_text(model, ids, width=width, stride=stride)
    assert_close(found, expected, rtol=0, atol=1e-6)


def test_a_text_that_fits_costs_what_one_pass_says(model):
    ids = text(8)
    model.eval()
    logits = model(ids[None, :-1])[0].float()
    expected = nn.functional.cross_entropy(logits, ids[1:], reduction="none")
    assert_close(score_text(model, ids, width=7, stride=7), expected)


def test_more_before_a_token_is_never_less_than_said(model):
    ids = text(61)
    near = score_text(model, ids, width=7, stride=1)
    assert_close(near[20:], one_by_one(model, ids, lambda place: min(place, 7))[20:])


def test_scoring_leaves_the_mode_and_draws_nothing(model):
    model.train()
    before = torch.get_rng_state()
    score_text(model, text(30), width=7, stride=3)
    assert model.training
    assert torch.equal(torch.get_rng_state(), before)


def learn(model, ids, rate, **options):
    optimizer = optim.SGD(model.parameters(), lr=rate)
    return score_while_learning(model, ids, optimizer, **options)


@pytest.mark.parametrize("stride", [1, 3, 7])
def test_without_a_step_it_is_what_a_frozen_model_scores(model, stride):
    ids = text(31)
    found = learn(copy.deepcopy(model), ids, 0.0, width=7, stride=stride)
    frozen = one_by_one(model, ids, lambda place: min(place, 7))
    assert len(found) == len(frozen)
    if stride == 1:
        assert_close(found, frozen, rtol=0, atol=1e-6)
    assert_close(found[:stride], frozen[:stride], rtol=0, atol=1e-6)


def test_no_token_is_learned_from_before_it_is_scored(model):
    """What comes later does not change a score."""
    one, other = text(31), text(31)
    other[17:] = (other[17:] + 1) % VOCAB
    first, second = (
        learn(copy.deepcopy(model), ids, 0.5, width=7, stride=4) for ids in (one, other)
    )
    assert_close(first[:16], second[:16])
    assert not torch.allclose(first[16:], second[16:])


def test_the_steps_are_those_of_a_loop_by_hand(model):
    ids, by_hand = text(10), copy.deepcopy(model).eval()
    optimizer = optim.SGD(by_hand.parameters(), lr=0.5)
    expected = []
    for rows, new in ((ids[:4], 3), (ids[2:7], 3), (ids[5:10], 3)):
        logits = by_hand(rows[None, :-1])[0].float()
        nats = nn.functional.cross_entropy(logits, rows[1:], reduction="none")
        expected.append(nats[-new:].detach())
        optimizer.zero_grad()
        nats.mean().backward()
        optimizer.step()
    found = learn(model, ids, 0.5, width=4, stride=3)
    assert_close(found, torch.cat(expected))


def test_a_text_that_repeats_is_learned(model):
    ids = torch.arange(5).repeat(60)
    found = learn(model, ids, 0.3, width=7, stride=4)
    assert found[-50:].mean() < 0.7 * found[:50].mean()
    assert model.training
    assert all(p.grad is None for p in model.parameters())


def test_bits_by_hand():
    nats = torch.tensor([math.log(2), math.log(8)])
    assert bits_per_character(nats, "abcde") == pytest.approx(4 / 5)


def test_what_does_not_fit_is_refused(refuses, model):
    def score(ids=None, **others):
        given = text(9) if ids is None else ids
        return score_text(model, given, **{"width": 7, "stride": 3, **others})

    refuses(lambda: score(stride=8), ValueError, "stride", "width=7", "got 8")
    refuses(lambda: score(width=0), ValueError, "width", "got 0")
    refuses(lambda: score(ids=text(1)), ValueError, "ids", "got 1")
    refuses(lambda: score(ids=text(9)[None]), TypeError, "ids", "1, 9")
    refuses(lambda: score(ids=text(9).float()), TypeError, "ids")
    refuses(lambda: score(ids=[1, 2]), TypeError, "ids", "list")
    refuses(lambda: bits_per_character(torch.ones(3), ""), ValueError, "text")
