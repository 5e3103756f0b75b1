"""Mamba-2 equals the reference, whole texts and step by step."""

import torch
from transformers import Mamba2Config, Mamba2ForCausalLM, Mamba2Model
from transformers.models.mamba2 import modeling_mamba2

from bookkit.checking.facts import facts
from transformer.zoo import mamba2

VARIANTS = {
    "as published": {},
    "one group": {"n_groups": 1},
    "tied": {"tie_word_embeddings": True},
    "a longer convolution": {"conv_kernel": 4},
}


def tiny(**choices):
    return Mamba2Config(
        vocab_size=23,
        hidden_size=12,
        num_hidden_layers=2,
        expand=2,
        num_heads=6,
        head_dim=4,
        **{"state_size": 5, "n_groups": 2, "conv_kernel": 3, "chunk_size": 4}
        | {"pad_token_id": 0, "residual_in_fp32": False}
        | choices,
    )


def in_double(dtype, monkeypatch):
    """Let the reference keep float64, where it casts to float32."""
    if dtype == torch.float64:
        monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
        monkeypatch.setattr(modeling_mamba2.torch, "float32", torch.float64)


@facts("choices", VARIANTS.values(), ids=[*VARIANTS])
def test_logits_and_gradients_equal_the_reference(
    choices, padded, reference, assert_parity, dtype, tolerance, monkeypatch
):
    theirs = reference(Mamba2ForCausalLM, tiny(**choices), dtype)
    ours = mamba2.from_hugging_face(theirs)
    with monkeypatch.context() as patch:
        in_double(dtype, patch)
        assert_parity(ours, theirs, padded, mamba2.layout(ours.config), tolerance)


def test_logits_and_gradients_equal_the_reference_with_biases(
    batch, reference, assert_parity, dtype, tolerance, monkeypatch
):
    # Padding on the left would not be zero to its convolution, but that bias.
    theirs = reference(Mamba2ForCausalLM, tiny(use_bias=True), dtype)
    ours = mamba2.from_hugging_face(theirs)
    with monkeypatch.context() as patch:
        in_double(dtype, patch)
        assert_parity(ours, theirs, batch, mamba2.layout(ours.config), tolerance)


def test_with_a_cache_each_step_equals_the_reference(
    batch, reference, dtype, tolerance, parity, monkeypatch
):
    theirs = reference(Mamba2ForCausalLM, tiny(), dtype)
    ours, past = mamba2.from_hugging_face(theirs), None
    cache = ours.new_cache(3, max_len=11)
    with torch.no_grad(), monkeypatch.context() as patch:
        in_double(dtype, patch)
        for tokens in batch.tokens.split([5, 1, 1, 1, 1, 1, 1], dim=1):
            expected = theirs(tokens, cache=past, use_cache=True)
            past = expected.cache
            found = ours(tokens, cache=cache)
            bounds = {"rtol": tolerance, "atol": tolerance}
            parity(ours, theirs).values(found, expected.logits, **bounds)
    assert cache.length == 11


def test_each_field_is_read():
    config = tiny(use_bias=True, tie_word_embeddings=True, layer_norm_epsilon=1e-3)
    assert mamba2.config_from_hugging_face(config) == mamba2.preset(
        vocab_size=23,
        num_decoder_layers=2,
        d_model=12,
        num_heads=6,
        d_head=4,
        state_size=5,
        state_groups=2,
        convolution_size=3,
        attention_bias=True,
        tie_embeddings=True,
        norm_eps=1e-3,
    )


BAD_INPUTS = {
    "another activation": (
        lambda: mamba2.config_from_hugging_face(tiny(hidden_act="gelu")),
        ValueError,
        "the configuration.*got hidden_act='gelu' instead of 'silu'",
    ),
    "a convolution without biases": (
        lambda: mamba2.config_from_hugging_face(tiny(use_conv_bias=False)),
        ValueError,
        "the configuration.*got use_conv_bias=False instead of True",
    ),
    "bounded steps": (
        lambda: mamba2.config_from_hugging_face(tiny(time_step_limit=(0.0, 1.0))),
        ValueError,
        r"the configuration.*got time_step_limit=.0.0, 1.0. instead of",
    ),
    "no head": (
        lambda: mamba2.from_hugging_face(Mamba2Model(tiny())),
        ValueError,
        r"the tensors .*Mamba2ForCausalLM (?s:.*)missing \(1\): lm_head.weight",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
