"""Mamba-2: layers of state spaces alone, without attention (Dao and Gu, 2024)."""

from math import inf

from transformer.config import TransformerConfig
from transformer.zoo.family import Family
from transformer.zoo.fields import Fields, check_fields
from transformer.zoo.layout import Layout, layer_names


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a Mamba-2 of some size.

    Source: Dao and Gu (2024), section 7.1: one branch in each layer, without a network
    and without positions; the norm of its input: their released code.
    """
    common = {
        "max_len": 2048,
        "num_encoder_layers": 0,
        "position": "none",
        "norm": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "mixers": "mamba2",
        "feed_forward": False,
        "scale_embeddings": False,
        "tie_embeddings": False,
        "initialization": "normal",
    }
    return TransformerConfig(**common | choices)


LAYER = {
    "self_attention.input_projection": "mixer.in_proj",
    "self_attention.convolution": "mixer.conv1d",
    "self_attention.log_decay_rate": "mixer.A_log",
    "self_attention.step_bias": "mixer.dt_bias",
    "self_attention.skip": "mixer.D",
    "self_attention.norm_weight": "mixer.norm.weight",
    "self_attention.output_projection": "mixer.out_proj",
    "self_attention_residual.norm": "norm",
}


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores Mamba-2."""
    return Layout(
        source="a Mamba2ForCausalLM",
        names={
            "embedding.tokens.embedding": "embeddings",
            "decoder.norm": "norm_f",
            "head.projection": "lm_head",
        }
        | layer_names("decoder.layers.{}", "layers.{}", LAYER),
        spellings={r"^backbone\.": "", r"^embedding\.": "embeddings."},
        tied={"lm_head.weight": "embeddings.weight"},
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `Mamba2Config`.

    A residual stream in float32 differs from ours in half precisions only.
    """
    check_fields(
        fields,
        hidden_act=("silu", "swish"),
        use_conv_bias=(True,),
        time_step_limit=([0.0, inf], (0.0, inf)),
    )
    return preset(
        vocab_size=fields["vocab_size"],
        num_decoder_layers=fields["num_hidden_layers"],
        d_model=fields["hidden_size"],
        num_heads=fields["num_heads"],
        d_head=fields["head_dim"],
        state_size=fields["state_size"],
        state_groups=fields["n_groups"],
        convolution_size=fields["conv_kernel"],
        attention_bias=fields.get("use_bias", False),
        tie_embeddings=fields.get("tie_word_embeddings", False),
        norm_eps=fields["layer_norm_epsilon"],
    )


MAMBA2 = Family(
    model_types=("mamba2",),
    convert=convert,
    layout=layout,
)
config_from_hugging_face = MAMBA2.config_from_hugging_face
from_hugging_face = MAMBA2.from_hugging_face
