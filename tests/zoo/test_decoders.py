"""Newer decoders equal their references: one table of families and their variants."""

from typing import NamedTuple

import torch
from transformers import (
    DeepseekV3Config,
    DeepseekV3ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GptOssConfig,
    GptOssForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from bookkit.checking.facts import facts
from transformer.zoo import FAMILIES


class Decoder(NamedTuple):
    """A family: the classes of its reference, the sizes of a tiny one, its variants."""

    kind: type
    config: type
    sizes: dict
    variants: dict
    always: dict | None = None  # which leaves no choice that rounding could turn


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
    "pad_token_id": None,
}
SOME, ALL = "sliding_attention", "full_attention"
WINDOWS = {"use_sliding_window": True, "sliding_window": 3}
EXPERTS = {"num_local_experts": 5, "num_experts_per_tok": 2, "sliding_window": 3}
PLAIN = {"rope_parameters": {"rope_type": "default", "rope_theta": 100.0}}
STRETCHED = {"rope_type": "yarn", "rope_theta": 100.0, "factor": 4.0}
STRETCHED |= {"original_max_position_embeddings": 8}
DEEPSEEK = {name: x for name, x in SIZES.items() if name != "head_dim"} | {
    "num_key_value_heads": 4,
    "moe_intermediate_size": 11,
    "n_routed_experts": 6,
    "num_experts_per_tok": 3,
    "n_group": 3,
    "topk_group": 2,
    "first_k_dense_replace": 1,
    "q_lora_rank": 7,
    "kv_lora_rank": 9,
    "qk_nope_head_dim": 5,
    "qk_rope_head_dim": 4,
    "v_head_dim": 3,
}
DECODERS = {
    "qwen3": Decoder(
        Qwen3ForCausalLM,
        Qwen3Config,
        SIZES,
        {
            "no windows": {},
            "tied, with biases": {"tie_word_embeddings": True, "attention_bias": True},
            "windows in the last layers": {**WINDOWS, "max_window_layers": 1},
            "windows everywhere": {**WINDOWS, "max_window_layers": 0},
            "one key head": {"num_key_value_heads": 1},
        },
    ),
    "gemma3_text": Decoder(
        Gemma3ForCausalLM,
        Gemma3TextConfig,
        SIZES
        | {"hidden_size": 16}  # a square: theirs rounds its root to float32
        | {"num_hidden_layers": 5, "sliding_window": 3, "sliding_window_pattern": 2}
        | {"query_pre_attn_scalar": 11},
        {
            "in turn": {},
            "windows everywhere": {"layer_types": [SOME] * 5},
            "no windows": {"layer_types": [ALL] * 5},
            "five to one": {"num_hidden_layers": 7, "sliding_window_pattern": 6},
            "with biases": {"attention_bias": True, "num_key_value_heads": 1},
        },
    ),
    "deepseek_v3": Decoder(
        DeepseekV3ForCausalLM,
        DeepseekV3Config,
        DEEPSEEK | PLAIN,
        {
            "as published": {},
            "queries as they are": {"q_lora_rank": None},
            "halves": {"rope_interleave": False},
            "one group": {"n_group": 1, "topk_group": 1},
            "all experts, shares as they are": {
                "num_experts_per_tok": 6,
                "topk_group": 3,
                "norm_topk_prob": False,
            },
            "experts alone": {"first_k_dense_replace": 0, "n_shared_experts": 2},
            "dense": {"first_k_dense_replace": 3},
            "tied, with biases": {"tie_word_embeddings": True, "attention_bias": True},
            "stretched": {
                "rope_parameters": STRETCHED | {"mscale": 0.7, "mscale_all_dim": 1.3}
            },
        },
        {"num_experts_per_tok": 6, "topk_group": 3},
    ),
    "gpt_oss": Decoder(
        GptOssForCausalLM,
        GptOssConfig,
        SIZES | EXPERTS | PLAIN | {"swiglu_limit": 0.7},  # so that much is clamped
        {
            "in turn": {},
            "windows everywhere": {"layer_types": [SOME] * 3},
            "no windows": {"layer_types": [ALL] * 3},
            "tied, without biases": {
                "tie_word_embeddings": True,
                "attention_bias": False,
            },
            "one key head, one expert": {
                "num_key_value_heads": 1,
                "num_experts_per_tok": 1,
            },
            "stretched": {"rope_parameters": STRETCHED},
            "stretched, unrounded": {
                "rope_parameters": STRETCHED | {"truncate": False}
            },
        },
        {"num_experts_per_tok": 5},
    ),
}
VARIANTS = {
    f"{family}, {name}": (family, choices)
    for family, decoder in DECODERS.items()
    for name, choices in decoder.variants.items()
}
EACH_VARIANT = facts("family, choices", VARIANTS.values(), ids=[*VARIANTS])


def build(reference, family, choices, dtype):
    decoder = DECODERS[family]
    return reference(decoder.kind, decoder.config(**decoder.sizes | choices), dtype)


@EACH_VARIANT
def test_logits_and_gradients_equal_the_exact_reference(
    family, choices, padded, reference, exact, assert_parity, dtype, tolerance
):
    theirs = exact(build(reference, family, choices, dtype))
    ours = FAMILIES[family].from_hugging_face(theirs)
    layout = FAMILIES[family].layout(ours.config)
    assert_parity(ours, theirs, padded, layout, tolerance)


@EACH_VARIANT
def test_with_a_cache_each_step_equals_the_reference(
    family, choices, padded, reference, exact, dtype, tolerance, assert_same_steps
):
    theirs = exact(build(reference, family, choices, dtype))
    ours = FAMILIES[family].from_hugging_face(theirs)
    assert_same_steps(ours, theirs, padded, tolerance)


@facts("family", DECODERS)
def test_bfloat16(family, batch, reference, assert_bfloat16):
    theirs = build(reference, family, DECODERS[family].always or {}, torch.bfloat16)
    assert_bfloat16(FAMILIES[family].from_hugging_face(theirs), theirs, batch)
