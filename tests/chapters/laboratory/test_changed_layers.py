"""Layers from which something is taken away."""

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory.changed_layers import WithoutCausalMask
from transformer.blocks import Decoder
from transformer.config import TransformerConfig
from transformer.layers import causal_mask

TARGET, SOURCE = 5, 7


@pytest.fixture
def decoder():
    sizes = {"num_decoder_layers": 2, "d_model": 12, "num_heads": 3, "d_ff": 17}
    torch.manual_seed(0)
    config = TransformerConfig(vocab_size=11, max_len=13, **sizes)
    return Decoder(config, cross_attention=True).double().eval()


@pytest.fixture
def x():
    return torch.randn(2, TARGET, 12, dtype=torch.float64)


@pytest.fixture
def memory():
    return torch.randn(2, SOURCE, 12, dtype=torch.float64)


def test_without_causal_mask_the_first_position_sees_the_last(decoder, x, memory):
    changed = x.clone()
    changed[:, -1] += 1
    assert_close(decoder(x, memory)[:, 0], decoder(changed, memory)[:, 0])
    bare = WithoutCausalMask(decoder)
    assert (bare(x, memory)[:, 0] - bare(changed, memory)[:, 0]).abs().max() > 1e-3


def test_with_the_mask_handed_in_it_is_the_decoder_again(decoder, x, memory):
    given = WithoutCausalMask(decoder)(x, memory, mask=causal_mask(TARGET))
    assert_close(given, decoder(x, memory))


def test_without_causal_mask_padding_stays_hidden(decoder, x, memory):
    real = torch.ones(2, 1, 1, TARGET, dtype=torch.bool)
    real[..., -1] = False
    padded = WithoutCausalMask(decoder)(x, memory, mask=real)
    short = WithoutCausalMask(decoder)(x[:, :-1], memory)
    assert_close(padded[:, :-1], short)


def test_the_parameters_are_those_of_the_decoder(decoder):
    bare = WithoutCausalMask(decoder).state_dict()
    assert list(bare) == list(decoder.state_dict())
