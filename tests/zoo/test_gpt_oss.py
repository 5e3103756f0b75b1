"""The fields of gpt-oss are read or refused; `test_decoders` compares the models."""

import torch
from transformers import GptOssConfig, GptOssForCausalLM

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import gpt_oss

SIZES = {
    "vocab_size": 23,
    "hidden_size": 20,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 28,
    "max_position_embeddings": 13,
    "head_dim": 6,
    "num_local_experts": 5,
    "num_experts_per_tok": 3,
    "sliding_window": 3,
    "bos_token_id": 1,
    "eos_token_id": 1,
}


def tiny(**choices):
    return GptOssConfig(**SIZES | choices)


def said(**choices):
    return gpt_oss.config_from_hugging_face(tiny().to_dict() | choices)


# As published with the weights.
SMALLER = {
    "model_type": "gpt_oss",
    "vocab_size": 201_088,
    "hidden_size": 2880,
    "intermediate_size": 2880,
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "hidden_act": "silu",
    "max_position_embeddings": 131_072,
    "rms_norm_eps": 1e-5,
    "rope_theta": 150_000,
    "rope_scaling": {
        "rope_type": "yarn",
        "factor": 32.0,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "truncate": False,
        "original_max_position_embeddings": 4096,
    },
    "sliding_window": 128,
    "num_local_experts": 32,
    "num_experts_per_tok": 4,
    "swiglu_limit": 7.0,
    "attention_bias": True,
    "tie_word_embeddings": False,
}


def test_a_published_configuration_has_the_parameters_of_the_reference(count_on_meta):
    config = gpt_oss.config_from_hugging_face(SMALLER)
    found = count_on_meta(lambda: DecoderOnlyTransformer(config))
    with torch.device("meta"):
        theirs = GptOssForCausalLM(GptOssConfig(**SMALLER))
    assert found == sum(x.numel() for x in theirs.parameters()) == 20_914_757_184


def test_older_configurations_mean_the_same():
    config = gpt_oss.config_from_hugging_face(SMALLER)
    assert config == gpt_oss.config_from_hugging_face(GptOssConfig(**SMALLER))
    assert (config.rotary_scaling, config.rotary_base) == ("yarn_unrounded", 150_000.0)
    left_out = ("rope_theta", "rope_scaling", "attention_bias", "swiglu_limit")
    rest = {name: x for name, x in SMALLER.items() if name not in left_out}
    assert gpt_oss.config_from_hugging_face(rest) == config
    based = rest | {"rope_theta": 500.0}
    newer = GptOssConfig(**based).to_dict()
    assert gpt_oss.config_from_hugging_face(based).rotary_base == 500.0
    assert gpt_oss.config_from_hugging_face(newer).rotary_base == 500.0


def test_each_field_is_read():
    config = tiny(
        attention_bias=False,
        tie_word_embeddings=True,
        attention_dropout=0.3,
        rms_norm_eps=1e-3,
        swiglu_limit=5.0,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    )
    assert gpt_oss.config_from_hugging_face(config) == gpt_oss.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=3,
        d_model=20,
        d_ff=28,
        num_heads=4,
        num_kv_heads=2,
        d_head=6,
        num_experts=5,
        experts_per_token=3,
        gate_limit=5.0,
        attention_bias=False,
        tie_embeddings=True,
        norm_eps=1e-3,
        attention_dropout=0.3,
        rotary_base=500.0,
        window=(3, None),
    )


@facts(
    "choices, window",
    [
        ({"layer_types": None}, (3, None)),
        ({"layer_types": ["sliding_attention"] * 3}, 3),
        ({"layer_types": ["full_attention"] * 3, "sliding_window": None}, None),
    ],
    ids=str,
)
def test_windows_are_told_in_one_way_or_another(choices, window):
    assert said(**choices).window == window


def test_gates_and_features_of_an_expert_alternate():
    stored = torch.arange(24.0).view(2, 3, 4)  # experts, d_model, twice two features
    readings = gpt_oss.expert_readings(2, 1, 2)
    assert readings["weight"](1).take(stored).tolist() == [[13, 17, 21], [15, 19, 23]]
    assert readings["weight"](1).shape((2, 3)) == (2, 3, 4)
    assert readings["bias"](0).take(stored[:, 0]).tolist() == [1, 3]


BAD_INPUTS = {
    "another slope": (
        lambda: said(swiglu_alpha=1.0),
        ValueError,
        "the configuration.*got swiglu_alpha=1.0 instead of 1.702",
    ),
    "another kind of layer": (
        lambda: said(layer_types=["chunked_attention"] * 3),
        ValueError,
        "the configuration.*got a layer type='chunked_attention' instead of",
    ),
    "more experts than there are": (
        lambda: said(num_experts_per_tok=6),
        ValueError,
        "experts_per_token must be at most num_experts",
    ),
    "weights of four bits": (
        lambda: gpt_oss.from_hugging_face(
            {"model.layers.0.mlp.experts.gate_up_proj_blocks": torch.ones(1)},
            config=tiny(num_hidden_layers=1),
        ),
        ValueError,
        r"the tensors.*GptOssForCausalLM(?s:.*)surplus \(1\): layers.0.mlp.experts",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
