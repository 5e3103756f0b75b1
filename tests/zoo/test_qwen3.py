"""The fields of Qwen3 are read or refused; `test_decoders` compares the models."""

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import qwen3

SIZES = {
    "vocab_size": 23,
    "hidden_size": 20,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 28,
    "max_position_embeddings": 13,
    "head_dim": 6,
    "bos_token_id": 1,
    "eos_token_id": 1,
}
WINDOWS = {"use_sliding_window": True, "sliding_window": 3}


def tiny(**choices):
    return Qwen3Config(**SIZES | choices)


# As published with the weights.
SMALLEST = {
    "model_type": "qwen3",
    "vocab_size": 151_936,
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_act": "silu",
    "max_position_embeddings": 40_960,
    "max_window_layers": 28,
    "use_sliding_window": False,
    "sliding_window": None,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1_000_000,
    "rope_scaling": None,
    "attention_bias": False,
    "tie_word_embeddings": True,
}


def test_a_published_configuration_has_the_parameters_of_the_reference(count_on_meta):
    config = qwen3.config_from_hugging_face(SMALLEST)
    assert config.rotary_base == 1_000_000.0
    found = count_on_meta(lambda: DecoderOnlyTransformer(config))
    with torch.device("meta"):
        theirs = Qwen3ForCausalLM(Qwen3Config(**SMALLEST))
    assert found == sum(x.numel() for x in theirs.parameters()) == 596_049_920


def test_each_field_is_read():
    config = tiny(
        hidden_act="relu",
        attention_bias=True,
        tie_word_embeddings=True,
        attention_dropout=0.3,
        rms_norm_eps=1e-3,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        max_window_layers=2,
        **WINDOWS,
    )
    assert qwen3.config_from_hugging_face(config) == qwen3.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=3,
        d_model=20,
        d_ff=28,
        num_heads=4,
        num_kv_heads=2,
        d_head=6,
        activation="relu",
        attention_bias=True,
        tie_embeddings=True,
        norm_eps=1e-3,
        attention_dropout=0.3,
        rotary_base=500.0,
        window=(None, None, 3),
    )


def said(**choices):
    return qwen3.config_from_hugging_face(tiny().to_dict() | choices)


@facts(
    "choices, window",
    [
        ({}, None),
        ({"sliding_window": 3}, None),
        ({**WINDOWS, "layer_types": None, "max_window_layers": 0}, 3),
        ({**WINDOWS, "layer_types": None, "max_window_layers": 2}, (None, None, 3)),
        ({**WINDOWS, "layer_types": None, "max_window_layers": 28}, None),
        ({**WINDOWS, "layer_types": ["sliding_attention"] * 3}, 3),
        (
            {
                **WINDOWS,
                "layer_types": [
                    "sliding_attention",
                    "full_attention",
                    "sliding_attention",
                ],
            },
            (3, None),
        ),
    ],
    ids=str,
)
def test_windows_are_told_in_one_way_or_another(choices, window):
    assert said(**choices).window == window


BAD_INPUTS = {
    "another kind of layer": (
        lambda: said(layer_types=["full_attention", "chunked_attention", "x"]),
        ValueError,
        "the configuration.*got a layer type='chunked_attention' instead of",
    ),
    "too few kinds": (
        lambda: said(layer_types=["full_attention"]),
        ValueError,
        "the configuration.*for each of 3 layers, got 1 in layer_types",
    ),
    "a window of no width": (
        lambda: said(layer_types=["sliding_attention"] * 3, sliding_window=None),
        ValueError,
        "the configuration must say how wide.*got sliding_window=None",
    ),
    "tensors alone": (
        lambda: qwen3.from_hugging_face({"x": torch.ones(2)}),
        ValueError,
        "a dictionary of tensors.*got none; pass config=, such as theirs",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
