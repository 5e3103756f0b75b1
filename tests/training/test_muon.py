"""Tests of Muon and of the iteration within it."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn, optim
from torch.testing import assert_close

from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer
from transformer.training import muon, newton_schulz
from transformer.training.muon import COEFFICIENTS
from transformer.training.optimizer_state import check_resumable

SHAPES = ((5, 5), (3, 7), (7, 3), (2, 3, 5))


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 1000), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_each_round_is_a_polynomial_of_the_singular_values(shape, seed, scale):
    generator = torch.Generator().manual_seed(seed)
    matrix = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    u, values, v = torch.linalg.svd(matrix, full_matrices=False)
    values = values / values.norm(dim=-1, keepdim=True)
    a, b, c = COEFFICIENTS
    for _ in range(3):
        values = a * values + b * values**3 + c * values**5
    expected = (u * values[..., None, :]) @ v
    assert_close(newton_schulz(matrix, rounds=3), expected, rtol=0, atol=1e-9)


def test_five_rounds_bring_singular_values_near_to_one():
    values = torch.linspace(0.02, 1.0, 199, dtype=torch.float64)
    # Two directions, so that the norm leaves the smaller one what it is.
    pairs = torch.stack([values, (1 - values**2).clamp(min=0).sqrt()], dim=-1)
    kept = [p for p in pairs if p.min() > 0.02]
    found = torch.stack([newton_schulz(torch.diag(p)).diagonal() for p in kept])
    assert found.min() > 0.68
    assert found.max() < 1.14


def test_one_round_by_hand():
    matrix = torch.diag(torch.tensor([3.0, 4.0], dtype=torch.float64))
    a, b, c = COEFFICIENTS
    expected = [a * x + b * x**3 + c * x**5 for x in (0.6, 0.8)]
    found = newton_schulz(matrix, rounds=1)
    assert_close(found, torch.diag(torch.tensor(expected, dtype=torch.float64)))


def test_zeros_stay_zeros():
    assert_close(newton_schulz(torch.zeros(3, 5)), torch.zeros(3, 5))


def test_parity_with_the_optimizer_of_pytorch():
    torch.manual_seed(0)
    ours = nn.Sequential(nn.Linear(7, 5, bias=False), nn.Linear(5, 11, bias=False))
    theirs = copy.deepcopy(ours)
    options = {"weight_decay": 0.1, "momentum": 0.95}
    mine = muon(ours, learning_rate=1.0, **options)
    other = optim.Muon(
        theirs.parameters(), lr=1.0, adjust_lr_fn="match_rms_adamw", **options
    )
    for _ in range(3):  # whose gradients have nothing in common
        for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
            a.grad = torch.randn_like(a)
            b.grad = a.grad.clone()
        mine.step()
        other.step()
        for found, expected in zip(ours.parameters(), theirs.parameters(), strict=True):
            # A step is 0.2 large; both compute it in bfloat16, in another order.
            assert (found - expected).square().mean().sqrt() < 0.03


def test_what_is_no_hidden_matrix_is_left_to_adamw():
    torch.manual_seed(0)
    ours = nn.Embedding(7, 3)
    theirs = copy.deepcopy(ours)
    mine = muon(ours, learning_rate=1e-2, weight_decay=0.1)
    other = optim.AdamW(
        theirs.parameters(), lr=1e-2, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.1
    )
    ids = torch.tensor([2, 3, 5])
    for _ in range(4):
        for model, optimizer in ((ours, mine), (theirs, other)):
            optimizer.zero_grad()
            model(ids).pow(3).sum().backward()
            optimizer.step()
    assert_close(ours.weight, theirs.weight, rtol=0, atol=1e-6)


def model(**fields):
    sizes = {"vocab_size": 11, "num_decoder_layers": 1, "d_model": 6, "num_heads": 2}
    config = TransformerConfig.decoder_only(**sizes, d_ff=5, **fields)
    return DecoderOnlyTransformer(config)


@pytest.mark.parametrize("tied", [True, False])
def test_matrices_of_layers_are_hidden_and_those_of_tokens_are_not(tied):
    ours = model(tie_embeddings=tied)
    hidden, *others = muon(ours).param_groups
    inside = [p for p in ours.decoder.parameters() if p.dim() == 2]
    assert hidden["hidden"]
    assert {*map(id, hidden["params"])} == {*map(id, inside)}
    assert not any(group["hidden"] for group in others)
    kept = sum(len(group["params"]) for group in (hidden, *others))
    assert kept == len([*ours.parameters()])


def test_vectors_do_not_decay_and_what_is_frozen_is_left_out():
    ours = model()
    frozen = ours.embedding.tokens.embedding.weight.requires_grad_(False)
    groups = muon(ours, weight_decay=0.5).param_groups
    assert not any(p is frozen for group in groups for p in group["params"])
    decays = {p.dim(): g["weight_decay"] for g in groups for p in g["params"]}
    assert decays == {2: 0.5, 1: 0.0}


def test_a_step_has_the_size_of_adams():
    torch.manual_seed(0)
    weight = nn.Linear(64, 32, bias=False)
    before = weight.weight.detach().clone()
    optimizer = muon(weight, learning_rate=1.0)
    weight.weight.grad = torch.randn(32, 64)
    optimizer.step()
    size = (weight.weight - before).square().mean().sqrt().item()
    assert 0.1 < size < 0.25


def test_a_checkpoint_can_hold_it():
    check_resumable(muon(model()))


def test_what_is_no_matrix_is_refused(refuses):
    refuses(lambda: newton_schulz(torch.ones(3)), ValueError, "matrix", r"\(3,\)")
    refuses(lambda: newton_schulz(torch.ones(3, 3), rounds=0), ValueError, "rounds")
