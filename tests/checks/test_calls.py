"""A call that Python refuses is answered with what to write."""

import inspect
import re
from dataclasses import fields

import pytest
import torch

import transformer
from transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    SubwordTokenizer,
    Trainer,
    Transformer,
    TransformerConfig,
    WordTokenizer,
    attention_maps,
    beam_search,
    count_parameters,
    generate,
    greedy_decode,
    load_model,
    sample,
    save_model,
    speculative_sample,
)
from transformer.checks.names import OTHER_NAMES
from transformer.commands.settings import PRECISIONS, Settings
from transformer.layers import (
    LayerNorm,
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from transformer.training import LabelSmoothingLoss, adam
from transformer.zoo import from_hugging_face

CONFIG = TransformerConfig(vocab_size=7, d_model=4, num_heads=2, num_encoder_layers=0)

SELF_ATTENTION = (
    "() must be given query, key and value, and got only query; for self-attention "
    "pass the same tensor three times, as in attention(x, x, x)."
)


@pytest.fixture
def x():
    return torch.zeros(1, 3, 4)


def test_attention_to_one_tensor_says_how_self_attention_is_written(x):
    attention = MultiHeadAttention(4, 2)
    for given in ([x], []):
        named = {} if given else {"query": x}
        with pytest.raises(TypeError, match=re.escape(SELF_ATTENTION)):
            attention(*given, **named)
    with pytest.raises(TypeError, match=re.escape(SELF_ATTENTION)):
        scaled_dot_product_attention(x)


def test_python_says_what_else_is_missing(x):
    for given in ([x, x], []):
        with pytest.raises(TypeError, match="missing"):
            MultiHeadAttention(4, 2)(*given)


def test_an_argument_with_another_name_is_named(x):
    model = DecoderOnlyTransformer(CONFIG)
    said = "generate() has no argument 'max_tokens' (did you mean 'max_new_tokens'?)."
    with pytest.raises(TypeError, match=re.escape(said)):
        generate(model, [[1]], max_tokens=5)
    with pytest.raises(TypeError, match=re.escape("(did you mean 'need_weights'?)")):
        MultiHeadAttention(4, 2)(x, x, x, need_weight=True)


@pytest.fixture
def model():
    return DecoderOnlyTransformer(CONFIG)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("do_sample", "temperature"),
        ("num_beams", "beam_width"),
        ("max_length", "max_new_tokens"),
        ("input_ids", "tokens"),
        ("attention_mask", "mask"),
        ("eos_token_id", "eos_id"),
    ],
)
def test_what_hugging_face_calls_an_argument_leads_to_ours(model, theirs, ours):
    said = f"generate() has no argument {theirs!r} (did you mean {ours!r}?)."
    with pytest.raises(TypeError, match=re.escape(said)):
        generate(model, [[1]], **{theirs: 3})


def test_each_name_of_others_leads_to_a_name_that_is_here():
    configured = {field.name for field in fields(TransformerConfig)}
    called = (generate, scaled_dot_product_attention, speculative_sample, load_model)
    called += (MultiHeadAttention, LayerNorm, LabelSmoothingLoss, adam)
    called += (Transformer.forward, EncoderOnlyTransformer.forward)
    called += (DecoderOnlyTransformer.forward, MultiHeadAttention.forward)
    ours = {name for one in called for name in inspect.signature(one).parameters}
    ours |= configured | {*transformer.__all__, "rotary"}
    below = [("layers", "MultiHeadAttention"), ("zoo", "load")]
    below += [("blocks", "EncoderLayer"), ("blocks", "DecoderLayer")]
    for room, name in below:
        assert hasattr(getattr(transformer, room), name)
        ours |= {name, f"{room}.{name}"}
    flags = {field.name for field in fields(Settings)} | {*PRECISIONS}
    for theirs, names in OTHER_NAMES.items():
        assert {*names} <= ours | flags, theirs
        assert theirs not in ours


@pytest.mark.parametrize(
    "call",
    [
        *(generate, greedy_decode, sample, beam_search, speculative_sample),
        *(save_model, load_model, attention_maps, count_parameters, from_hugging_face),
        *(Trainer, LabelSmoothingLoss, adam, Transformer, MultiHeadAttention),
        *(WordTokenizer.encode, WordTokenizer.decode, SubwordTokenizer.encode),
    ],
)
def test_an_argument_like_no_other_is_answered_with_those_that_there_are(call):
    known = [name for name in inspect.signature(call).parameters if name != "self"]
    said = f"{call.__qualname__}() has no argument 'zebra'; it takes {', '.join(known)}"
    with pytest.raises(TypeError, match=f"^{re.escape(said)}\\.$"):
        call(zebra=True)


def test_a_value_too_many_is_told_which_others_there_are(model):
    said = "generate() must be given model, tokens by place, got 3 values; name the "
    with pytest.raises(TypeError, match=re.escape(f"{said}others, of max_new_tokens,")):
        generate(model, [[1]], 5)
    said = "Transformer() must be given config by place, got 2 values; pass no more."
    with pytest.raises(TypeError, match=f"^{re.escape(said)}$"):
        Transformer(512, 8)


def test_a_causal_mask_is_named_where_others_have_a_switch(x):
    said = "has no argument 'is_causal'; write mask=causal_mask(length), which stands"
    for attention in (MultiHeadAttention(4, 2), scaled_dot_product_attention):
        with pytest.raises(TypeError, match=re.escape(said)):
            attention(x, x, x, is_causal=True)


def test_attention_maps_are_shown_as_they_are_written(model):
    said = "got 2 values; write with attention_maps(model) as maps: model(ids)."
    with pytest.raises(TypeError, match=re.escape(said)):
        attention_maps(model, [[1]])


def test_what_attention_returns_says_where_its_tensor_is(x):
    found = scaled_dot_product_attention(x, x, x)
    for name in ("shape", "dtype", "mean"):
        with pytest.raises(AttributeError, match=f"weights; write .values.{name}.$"):
            getattr(found, name)
    for name in ("zebra", "_private"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
            getattr(found, name)
