"""A model inside a wrapper is accepted where a model is."""

from itertools import product

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.decoding import (
    beam_search,
    generate,
    greedy_decode,
    sample,
    speculative_sample,
)
from transformer.models import DecoderOnlyTransformer, unwrapped

MODEL = DecoderOnlyTransformer(
    TransformerConfig(
        vocab_size=23,
        num_encoder_layers=0,
        num_decoder_layers=1,
        d_model=10,
        d_ff=14,
        num_heads=5,
    )
)
PROMPT = torch.tensor([[3, 7, 11], [2, 5, 13]])
# PyTorch's own warning.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
COMPILED = pytest.mark.compiled
WRAPPERS = [
    nn.DataParallel,
    pytest.param(torch.compile, marks=COMPILED),
    pytest.param(lambda m: nn.DataParallel(torch.compile(m)), marks=COMPILED),
]
DECODERS = [
    lambda model: generate(model, PROMPT, max_new_tokens=4),
    lambda model: generate(model, PROMPT, max_new_tokens=4, top_k=3, seed=0),
    lambda model: generate(model, PROMPT, max_new_tokens=4, beam_width=2),
    lambda model: greedy_decode(model, PROMPT, max_new_tokens=4),
    lambda model: sample(model, PROMPT, max_new_tokens=4, seed=0),
    lambda model: beam_search(model, PROMPT, beam_width=2, max_new_tokens=4).tokens,
    lambda model: (
        speculative_sample(model, model, PROMPT, max_new_tokens=4, seed=0).tokens
    ),
]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_the_model_inside_is_found(wrap):
    assert unwrapped(wrap(MODEL)) is MODEL


class Compiled(nn.Module):
    """What `torch.compile` puts around a model, without a program."""

    def __init__(self, model):
        super().__init__()
        self._orig_mod = model


STACKS = [
    wrappers
    for depth in (1, 2, 3)
    for wrappers in product((Compiled, nn.DataParallel), repeat=depth)
]


@facts(
    "wrappers", STACKS, ids=lambda stack: " of ".join(kind.__name__ for kind in stack)
)
def test_wrappers_are_taken_off_in_any_number_and_order(wrappers):
    model = MODEL
    for wrap in wrappers:
        model = wrap(model)
    assert unwrapped(model) is MODEL


def test_a_model_without_wrapper_is_itself():
    plain = nn.Sequential(nn.Linear(2, 3))
    assert (unwrapped(MODEL), unwrapped(plain)) == (MODEL, plain)


@facts("decode", DECODERS)
@pytest.mark.parametrize("wrap", WRAPPERS)
def test_decoders_continue_the_model_inside(decode, wrap):
    assert torch.equal(decode(wrap(MODEL)), decode(MODEL))


def test_what_is_inside_must_be_a_model(refuses):
    refuses(
        lambda: greedy_decode(
            nn.DataParallel(nn.Linear(2, 3)), PROMPT, max_new_tokens=1
        ),
        TypeError,
        "model.*got Linear",
    )
