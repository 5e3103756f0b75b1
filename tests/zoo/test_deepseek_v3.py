"""The fields of DeepSeek-V3 are read or refused; `test_decoders` compares models."""

import torch
from transformers import DeepseekV3Config, DeepseekV3ForCausalLM

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import deepseek_v3

SIZES = {
    "vocab_size": 23,
    "hidden_size": 20,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "intermediate_size": 28,
    "moe_intermediate_size": 11,
    "max_position_embeddings": 13,
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


def tiny(**choices):
    return DeepseekV3Config(**SIZES | choices)


def said(**choices):
    return deepseek_v3.config_from_hugging_face(tiny().to_dict() | choices)


# As published with the weights.
PUBLISHED = {
    "model_type": "deepseek_v3",
    "vocab_size": 129_280,
    "hidden_size": 7168,
    "intermediate_size": 18_432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "n_shared_experts": 1,
    "n_routed_experts": 256,
    "routed_scaling_factor": 2.5,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "qk_nope_head_dim": 128,
    "n_group": 8,
    "topk_group": 4,
    "topk_method": "noaux_tc",
    "scoring_func": "sigmoid",
    "moe_layer_freq": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "norm_topk_prob": True,
    "num_nextn_predict_layers": 1,
    "hidden_act": "silu",
    "max_position_embeddings": 163_840,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10_000,
    "rope_scaling": {
        "type": "yarn",
        "factor": 40,
        "beta_fast": 32,
        "beta_slow": 1,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
    },
    "attention_bias": False,
    "tie_word_embeddings": False,
}


def test_a_published_configuration_has_the_parameters_of_the_reference(count_on_meta):
    config = deepseek_v3.config_from_hugging_face(PUBLISHED)
    found = count_on_meta(lambda: DecoderOnlyTransformer(config))
    with torch.device("meta"):
        theirs = DeepseekV3ForCausalLM(DeepseekV3Config(**PUBLISHED))
    choosing = 58 * 256  # numbers that act on a choice, a buffer there
    same = sum(x.numel() for x in theirs.parameters())
    assert found == same + choosing == 671_026_419_200


def test_published_rotations_are_stretched_and_scores_grow():
    config = deepseek_v3.config_from_hugging_face(PUBLISHED)
    assert config == deepseek_v3.config_from_hugging_face(DeepseekV3Config(**PUBLISHED))
    rotation = (config.rotary_scaling, config.rotary_factor, config.rotary_magnitude)
    assert rotation == ("yarn", 40.0, 1.0)
    with torch.device("meta"):
        theirs = DeepseekV3ForCausalLM(
            DeepseekV3Config(**PUBLISHED | {"num_hidden_layers": 1})
        )
    assert config.attention_scale == theirs.model.layers[0].self_attn.scaling


def test_each_field_is_read():
    config = tiny(
        hidden_act="relu",
        attention_bias=True,
        tie_word_embeddings=True,
        attention_dropout=0.3,
        rms_norm_eps=1e-3,
        norm_topk_prob=False,
        n_shared_experts=2,
        routed_scaling_factor=0.5,
        rope_interleave=False,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    )
    assert deepseek_v3.config_from_hugging_face(config) == deepseek_v3.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=3,
        d_model=20,
        d_ff=28,
        num_heads=4,
        d_head=5,
        d_rotary=4,
        d_value=3,
        d_latent=9,
        query_latent=7,
        num_experts=6,
        experts_per_token=3,
        d_expert=11,
        dense_layers=1,
        shared_experts=2,
        expert_groups=3,
        groups_per_token=2,
        normalize_shares=False,
        expert_scale=0.5,
        activation="relu",
        attention_bias=True,
        tie_embeddings=True,
        norm_eps=1e-3,
        attention_dropout=0.3,
        rotary_layout="half",
        rotary_base=500.0,
    )


def test_matrices_of_an_expert_stand_one_below_the_other():
    stored = torch.arange(24.0).view(2, 4, 3)  # experts, twice two features, d_model
    reading = deepseek_v3.part_of_expert(1, 2, 1, 2)
    assert reading.take(stored).tolist() == [[18, 19, 20], [21, 22, 23]]
    assert reading.shape((2, 3)) == (2, 4, 3)


def test_the_layer_that_predicts_a_second_token_is_left_out():
    layout = deepseek_v3.layout(said())
    assert layout.ignores("layers.61.eh_proj.weight")
    assert not layout.ignores("layers.60.mlp.gate_proj.weight")


BAD_INPUTS = {
    "fewer key heads": (
        lambda: said(num_key_value_heads=2),
        ValueError,
        "the configuration.*got num_key_value_heads=2 instead of 4 or None",
    ),
    "shares of a softmax": (
        lambda: said(scoring_func="softmax"),
        ValueError,
        "the configuration.*got scoring_func='softmax' instead of 'sigmoid'",
    ),
    "groups by their best": (
        lambda: said(topk_method="group_limited_greedy"),
        ValueError,
        "the configuration.*got topk_method='group_limited_greedy' instead of",
    ),
    "dense layers in turn": (
        lambda: said(moe_layer_freq=2),
        ValueError,
        "the configuration.*got moe_layer_freq=2 instead of 1",
    ),
    "too few experts in the groups": (
        lambda: DecoderOnlyTransformer(said(topk_group=1)),
        ValueError,
        "a position must find experts_per_token=3 experts.*got 1 of 2",
    ),
    "a negative magnitude": (
        lambda: said(
            rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 50.0}
            | {"mscale_all_dim": -1.0}
        ),
        ValueError,
        "mscale_all_dim must be.*above 0, got -1",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
