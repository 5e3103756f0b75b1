"""Tests of the attention weights of whole models."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from transformer.models import attention_maps

SEQ2SEQ = [
    *(f"encoder.layers.{layer}.self_attention" for layer in range(2)),
    *(
        f"decoder.layers.{layer}.{kind}_attention"
        for layer in range(2)
        for kind in ("self", "cross")
    ),
]


@torch.no_grad()
def test_each_attention_is_recorded_and_the_logits_are_the_same(seq2seq, tokens):
    plain = seq2seq(tokens, tokens[:, :5])
    with attention_maps(seq2seq) as maps:
        recorded = seq2seq(tokens, tokens[:, :5])
    assert_close(recorded, plain, rtol=0, atol=1e-10)
    assert list(maps) == SEQ2SEQ
    heads = seq2seq.config.num_heads
    assert maps["decoder.layers.1.cross_attention"].shape == (2, heads, 5, 7)
    for weights in maps.values():
        assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))


@torch.no_grad()
def test_no_token_of_a_decoder_sees_the_future(decoder_only, tokens):
    with attention_maps(decoder_only) as maps:
        decoder_only(tokens)
    for weights in maps.values():
        assert_close(weights.triu(1), torch.zeros_like(weights))


def test_a_new_pass_replaces_the_maps_and_nothing_is_recorded_afterwards(
    decoder_only, tokens
):
    with attention_maps(decoder_only) as maps:
        decoder_only(tokens)
        decoder_only(tokens[:, :3])
    decoder_only(tokens)
    assert {weights.shape[2:] for weights in maps.values()} == {(3, 3)}
    assert not any(weights.requires_grad for weights in maps.values())


def test_the_hooks_are_gone_after_an_error(decoder_only, tokens):
    with pytest.raises(KeyError), attention_maps(decoder_only):
        raise KeyError
    assert all(not module._forward_hooks for module in decoder_only.modules())
    assert all(not module._forward_pre_hooks for module in decoder_only.modules())


def test_a_model_without_attention_is_refused(refuses):
    def enter(model):
        with attention_maps(model):
            pass

    refuses(lambda: enter(nn.Linear(2, 3)), ValueError, "the model.*got Lin")
