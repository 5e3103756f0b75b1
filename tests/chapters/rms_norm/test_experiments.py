"""Language models with each norm and without, and the study that compares them."""

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.rms_norm.experiments import (
    EPS,
    NORMS,
    mean_shares,
    norms_of,
)
from transformer.layers import LayerNorm, RMSNorm

KINDS = {"LayerNorm": LayerNorm, "RMSNorm": RMSNorm}


def fresh(variant, **choices):
    return language_model(seed=5, norm_eps=EPS, **NORMS[variant], **choices).eval()


@facts("variant", NORMS)
def test_every_norm_is_of_the_kind_that_was_asked_for(variant):
    kind = KINDS.get(variant, nn.Identity)
    assert [type(found) for found in norms_of(fresh(variant))] == [kind] * 5


@facts("variant", KINDS)
def test_the_norms_have_one_epsilon(variant):
    assert {norm.eps for norm in norms_of(fresh(variant))} == {EPS}


def test_scaled_embeddings_have_the_size_that_a_norm_gives():
    tokens = torch.arange(1, 22)[None]
    sizes = [
        fresh(variant).embedding(tokens).square().mean().sqrt().item()
        for variant in ("none", "none, embeddings small")
    ]
    assert sizes == pytest.approx([1, 1 / 8], rel=0.1)


def test_shares_are_of_what_each_norm_reads():
    model = fresh("RMSNorm", num_decoder_layers=1)
    with torch.no_grad():
        model.embedding.tokens.embedding.weight.fill_(1.0)
    shares = mean_shares(model)
    assert shares.shape == (3,)
    assert shares[0].item() == pytest.approx(1.0)
    assert (shares >= 0).all()
    assert (shares[1:] < 1).all()
