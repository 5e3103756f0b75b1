"""A call that Python refuses is answered with what to write."""

import re

import pytest
import torch

from transformer import DecoderOnlyTransformer, TransformerConfig, generate
from transformer.layers import MultiHeadAttention, scaled_dot_product_attention

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
    config = TransformerConfig(
        vocab_size=7, d_model=4, num_heads=2, num_encoder_layers=0
    )
    model = DecoderOnlyTransformer(config)
    said = "generate() has no argument 'max_tokens' (did you mean 'max_new_tokens'?)."
    with pytest.raises(TypeError, match=re.escape(said)):
        generate(model, [[1]], max_tokens=5)
    with pytest.raises(TypeError, match=re.escape("(did you mean 'need_weights'?)")):
        MultiHeadAttention(4, 2)(x, x, x, need_weight=True)


def test_an_argument_like_no_other_is_left_to_python(x):
    with pytest.raises(TypeError, match="unexpected keyword argument 'zebra'"):
        MultiHeadAttention(4, 2)(x, x, x, zebra=True)
