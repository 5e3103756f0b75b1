"""Every family equals its reference, and the comparison can fail."""

import torch
from transformers import (
    BertConfig,
    DeepseekV3Config,
    Gemma3TextConfig,
    GPT2Config,
    GPTNeoXConfig,
    GptOssConfig,
    LlamaConfig,
    Mamba2Config,
    Qwen3Config,
    T5Config,
    ViTConfig,
)

from bookkit.checking.facts import facts
from chapters.laboratory.tiny_models import (
    BOUND,
    NEWER,
    REFERENCES,
    largest_difference,
    load_wrongly,
    tiny_reference,
)
from transformer.zoo import (
    FAMILIES,
    bert,
    deepseek_v3,
    from_hugging_face,
    gemma3,
    gpt2,
    gpt_neox,
    gpt_oss,
    llama,
    mamba2,
    qwen3,
    t5,
    vit,
)

ALL = REFERENCES | NEWER


def test_no_family_is_left_out():
    kinds = {tiny_reference(name).config.model_type for name in ALL}
    assert kinds == set(FAMILIES)


@facts("seed", [0, 1])
@facts("name", ALL)
def test_logits_drift_from_the_reference_by_less_than_the_bound(name, seed):
    theirs = tiny_reference(name, seed=seed)
    assert largest_difference(from_hugging_face(theirs), theirs, name) < BOUND


@facts("name", ALL)
def test_every_parameter_that_moves_breaks_the_bound(name):
    theirs = tiny_reference(name)
    ours = from_hugging_face(theirs)
    for label, parameter in ours.named_parameters():
        if label.endswith("key_projection.bias"):
            continue  # it adds one number to all scores of a query: softmax drops it
        before = parameter.detach().clone()
        step = 0.05 * torch.randn_like(parameter)
        if label.endswith("choice_bias"):  # a small step may choose the same
            step = 10.0 * torch.arange(len(step))
        with torch.no_grad():
            parameter += step
        assert largest_difference(ours, theirs, name) > BOUND, label
        with torch.no_grad():
            parameter.copy_(before)
    assert largest_difference(ours, theirs, name) < BOUND


# What a configuration of each reference is if nothing is said, as our preset.
DEFAULTS = {
    "bert": (
        bert,
        BertConfig,
        {"num_encoder_layers": 12, "d_model": 768, "d_ff": 3072, "num_heads": 12},
    ),
    "gpt2": (
        gpt2,
        GPT2Config,
        {"num_decoder_layers": 12, "d_model": 768, "d_ff": 3072, "num_heads": 12},
    ),
    "t5": (
        t5,
        T5Config,
        {
            "num_encoder_layers": 6,
            "num_decoder_layers": 6,
            "d_model": 512,
            "d_ff": 2048,
            "num_heads": 8,
        },
    ),
    "llama": (
        llama,
        LlamaConfig,
        {
            "vocab_size": 32_000,
            "max_len": 2048,
            "num_decoder_layers": 32,
            "d_model": 4096,
            "d_ff": 11_008,
            "num_heads": 32,
            "num_kv_heads": 32,
            "d_head": 128,
            "norm_eps": 1e-6,
        },
    ),
    "qwen3": (
        qwen3,
        Qwen3Config,
        {
            "vocab_size": 151_936,
            "max_len": 32_768,
            "num_decoder_layers": 32,
            "d_model": 4096,
            "d_ff": 22_016,
            "num_heads": 32,
            "num_kv_heads": 32,
            "d_head": 128,
            "norm_eps": 1e-6,
        },
    ),
    "gemma3": (
        gemma3,
        Gemma3TextConfig,
        {
            "vocab_size": 262_208,
            "max_len": 131_072,
            "num_decoder_layers": 26,
            "d_model": 2304,
            "d_ff": 9216,
            "num_heads": 8,
            "num_kv_heads": 4,
            "d_head": 256,
            "attention_scale": 1 / 16,
            "norm_eps": 1e-6,
            "window": (4096,) * 5 + (None,),
            "rotary_base": 1_000_000.0,
            "local_rotary_base": 10_000.0,
        },
    ),
    "deepseek_v3": (
        deepseek_v3,
        DeepseekV3Config,
        {
            "vocab_size": 129_280,
            "max_len": 4096,
            "num_decoder_layers": 61,
            "d_model": 7168,
            "d_ff": 18_432,
            "num_heads": 128,
            "d_head": 128,
            "d_rotary": 64,
            "d_value": 128,
            "d_latent": 512,
            "query_latent": 1536,
            "num_experts": 256,
            "experts_per_token": 8,
            "d_expert": 2048,
            "dense_layers": 3,
            "shared_experts": 1,
            "expert_groups": 8,
            "groups_per_token": 4,
            "expert_scale": 2.5,
            "norm_eps": 1e-6,
        },
    ),
    "mamba2": (
        mamba2,
        Mamba2Config,
        {
            "vocab_size": 32_768,
            "num_decoder_layers": 64,
            "d_model": 4096,
            "num_heads": 128,
            "d_head": 64,
            "state_groups": 8,
        },
    ),
    "vit": (
        vit,
        ViTConfig,
        {"vocab_size": 2, "num_encoder_layers": 12}
        | {"d_model": 768, "d_ff": 3072, "num_heads": 12},
    ),
    "gpt_oss": (
        gpt_oss,
        GptOssConfig,
        {
            "vocab_size": 201_088,
            "max_len": 131_072,
            "num_decoder_layers": 36,
            "d_model": 2880,
            "d_ff": 2880,
            "num_heads": 64,
            "num_kv_heads": 8,
            "d_head": 64,
            "num_experts": 128,
            "experts_per_token": 4,
            "window": (128, None),
            "rotary_base": 150_000.0,
            "rotary_scaling": "yarn_unrounded",
            "rotary_factor": 32.0,
            "rotary_original_len": 4096,
        },
    ),
    "gpt_neox": (
        gpt_neox,
        GPTNeoXConfig,
        {
            "vocab_size": 50_432,
            "num_decoder_layers": 44,
            "d_model": 6144,
            "d_ff": 24_576,
            "num_heads": 64,
        },
    ),
}


@facts(
    "family, theirs, name",
    [
        (bert, BertConfig, "bert-base-uncased"),
        (gpt2, GPT2Config, "gpt2"),
        (t5, T5Config, "t5-small"),
    ],
)
def test_the_defaults_of_a_reference_are_those_of_a_published_model(
    family, theirs, name
):
    assert family.config_from_hugging_face(theirs()) == family.CONFIGS[name]


@facts("family, theirs, sizes", DEFAULTS.values(), ids=[*DEFAULTS])
def test_what_a_preset_adds_to_sizes_is_what_the_reference_assumes(
    family, theirs, sizes
):
    assert family.config_from_hugging_face(theirs()) == family.preset(**sizes)


WRONG = {
    "norms of BERT first": ("BERT", {"norm_placement": "pre"}),
    "epsilon of BERT": ("BERT", {"norm_eps": 1e-5}),
    "exact GELU in GPT-2": ("GPT-2", {"activation": "gelu"}),
    "scores of T5 scaled": ("T5 1.0", {"scale_attention": True}),
    "layout of Llama": ("Llama", {"rotary_layout": "interleaved"}),
    "branches of GPT-NeoX in a row": ("GPT-NeoX", {"parallel_residual": False}),
    "embeddings of Marian as they are": ("Marian", {"scale_embeddings": False}),
    "a wider window of Mistral": ("Mistral, window", {"window": 5}),
    "windows of Gemma 3 the other way": ("Gemma 3", {"window": (None, 4)}),
    "one rotation in Gemma 3": ("Gemma 3", {"local_rotary_base": None}),
    "gains of Gemma 3 as they are": ("Gemma 3", {"gain_from_one": False}),
    "embeddings of Gemma 3 as they are": ("Gemma 3", {"scale_embeddings": False}),
    "shares of DeepSeek-V3": ("DeepSeek-V3", {"normalize_shares": False}),
    "layout of DeepSeek-V3": ("DeepSeek-V3", {"rotary_layout": "half"}),
    "sums of DeepSeek-V3 as they are": ("DeepSeek-V3", {"expert_scale": 1.0}),
    "a second group of DeepSeek-V3": ("DeepSeek-V3", {"groups_per_token": 2}),
    "gates of gpt-oss without a limit": ("gpt-oss", {"gate_limit": None}),
    "SwiGLU in gpt-oss": ("gpt-oss", {"activation": "silu"}),
    "one expert of gpt-oss": ("gpt-oss", {"experts_per_token": 1}),
    "rounded borders in gpt-oss": ("gpt-oss", {"rotary_scaling": "yarn"}),
    "GELU by a tanh in ViT": ("ViT", {"activation": "gelu_tanh"}),
    "scores of Gemma 3 by the head": ("Gemma 3", {"attention_scale": None}),
}


@facts("name, choices", WRONG.values(), ids=[*WRONG])
def test_a_wrong_choice_loads_and_breaks_the_bound(name, choices):
    theirs = tiny_reference(name)
    assert largest_difference(load_wrongly(theirs, **choices), theirs, name) > BOUND


def test_gpt_neox_has_no_rms_norm(refuses):
    theirs = tiny_reference("GPT-NeoX")
    refuses(
        lambda: load_wrongly(theirs, norm="rms"),
        ValueError,
        r"the tensors must (?s:.*)surplus \(5\): layers.0.input_layernorm.bias",
    )
