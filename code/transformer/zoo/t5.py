"""T5: every task as text in, text out (Raffel et al., 2020)."""

from collections.abc import Mapping
from dataclasses import replace

from torch import Tensor

from transformer.config import TransformerConfig
from transformer.models import Transformer
from transformer.zoo.family import Family
from transformer.zoo.fields import (
    ACTIVATION_NAMES,
    Fields,
    activation_name,
    check_fields,
)
from transformer.zoo.layout import Layout, layer_names
from transformer.zoo.loading import equal_tensors


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a T5 of some size.

    Source: Raffel et al. (2020), section 2.1; no factor on the attention scores and
    the factor on the tied logits: their released code. No `pad_id` is set, because
    a target starts with the token that pads: pass the masks.
    """
    common = {
        "vocab_size": 32_128,
        "max_len": 512,
        "d_head": 64,
        "position": "relative",
        "norm": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "bias": False,
        "scale_embeddings": False,
        "scale_attention": False,
        "scale_tied_logits": True,
        "norm_eps": 1e-6,
        "initialization": "t5",
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "activation_dropout": 0.1,
    }
    return TransformerConfig(**common | choices)


def stacks(layers: int) -> dict[str, int]:
    """Return the numbers of layers of two stacks of the same height."""
    return {"num_encoder_layers": layers, "num_decoder_layers": layers}


# Version 1.1: gated GELU, separate output weights, no factor on the logits.
# Source: Shazeer (2020) for the gates; the notes on the released models of T5.
VERSION_1_1 = {
    "activation": "gelu_tanh",
    "gated": True,
    "tie_embeddings": False,
    "scale_tied_logits": False,
}
CONFIGS = {
    "t5-small": preset(d_model=512, d_ff=2048, num_heads=8, **stacks(6)),
    "t5-base": preset(d_model=768, d_ff=3072, num_heads=12, **stacks(12)),
    "t5-large": preset(d_model=1024, d_ff=4096, num_heads=16, **stacks(24)),
    "t5-v1_1-small": preset(
        d_model=512, d_ff=1024, num_heads=6, **stacks(8), **VERSION_1_1
    ),
    "t5-v1_1-base": preset(
        d_model=768, d_ff=2048, num_heads=12, **stacks(12), **VERSION_1_1
    ),
}

SELF_ATTENTION = {
    "self_attention.query_projection": "layer.0.SelfAttention.q",
    "self_attention.key_projection": "layer.0.SelfAttention.k",
    "self_attention.value_projection": "layer.0.SelfAttention.v",
    "self_attention.output_projection": "layer.0.SelfAttention.o",
    "self_attention_residual.norm": "layer.0.layer_norm",
}
CROSS_ATTENTION = {
    "cross_attention.query_projection": "layer.1.EncDecAttention.q",
    "cross_attention.key_projection": "layer.1.EncDecAttention.k",
    "cross_attention.value_projection": "layer.1.EncDecAttention.v",
    "cross_attention.output_projection": "layer.1.EncDecAttention.o",
    "cross_attention_residual.norm": "layer.1.layer_norm",
}
BIAS = "{}.block.0.layer.0.SelfAttention.relative_attention_bias"


def feed_forward(place: int, *, gated: bool) -> dict[str, str]:
    """Return the names of the feed-forward network, which stands at a place."""
    names = {
        "feed_forward.up_projection": "wi_1" if gated else "wi",
        "feed_forward.down_projection": "wo",
    }
    if gated:
        names["feed_forward.gate_projection"] = "wi_0"
    found = {key: f"layer.{place}.DenseReluDense.{n}" for key, n in names.items()}
    return found | {"feed_forward_residual.norm": f"layer.{place}.layer_norm"}


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores T5."""
    encoder = SELF_ATTENTION | feed_forward(1, gated=config.gated)
    decoder = SELF_ATTENTION | CROSS_ATTENTION | feed_forward(2, gated=config.gated)
    copies = ("encoder.embed_tokens", "decoder.embed_tokens", "lm_head")
    return Layout(
        source="a T5ForConditionalGeneration",
        names={
            "embedding.tokens.embedding": "shared",
            "encoder.position_bias.embedding": BIAS.format("encoder"),
            "decoder.position_bias.embedding": BIAS.format("decoder"),
            "encoder.norm": "encoder.final_layer_norm",
            "decoder.norm": "decoder.final_layer_norm",
            "head.projection": "lm_head",
        }
        | layer_names("encoder.layers.{}", "encoder.block.{}", encoder)
        | layer_names("decoder.layers.{}", "decoder.block.{}", decoder),
        tied={f"{name}.weight": "shared.weight" for name in copies},
        # Stored in the first files, never used: cross-attention has no positions.
        ignored=(r"decoder\.block\.0\..*EncDecAttention\.relative_attention_bias\..*",),
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `T5Config`.

    `tie_word_embeddings=False` says both that the output weights are separate and
    that the logits are not scaled. A `T5Config` object of `transformers` 5 turns it
    into the second only (`scale_decoder_outputs`).
    """
    check_fields(fields, is_encoder_decoder=(True,))
    gate, _, name = fields.get("feed_forward_proj", "relu").rpartition("-")
    check_fields({"feed_forward_proj": gate}, feed_forward_proj=("", "gated"))
    gated = gate == "gated"
    # What is called "gated-gelu" has always been the tanh form.
    activation = "gelu_tanh" if gated and name == "gelu" else activation_name(name)
    # What follows from it may be said once more, and is what the reference looks at.
    names = [n for n, ours in ACTIVATION_NAMES.items() if ours == activation]
    check_fields(fields, dense_act_fn=(*names, None), is_gated_act=(gated, None))
    tied = fields.get("tie_word_embeddings", True)
    dropout = fields["dropout_rate"]
    return preset(
        vocab_size=fields["vocab_size"],
        max_len=fields.get("n_positions", 512),
        num_encoder_layers=fields["num_layers"],
        num_decoder_layers=fields.get("num_decoder_layers") or fields["num_layers"],
        d_model=fields["d_model"],
        d_ff=fields["d_ff"],
        num_heads=fields["num_heads"],
        d_head=fields["d_kv"],
        activation=activation,
        gated=gated,
        tie_embeddings=tied,
        scale_tied_logits=tied and fields.get("scale_decoder_outputs", tied),
        relative_buckets=fields["relative_attention_num_buckets"],
        relative_max_distance=fields.get("relative_attention_max_distance", 128),
        norm_eps=fields["layer_norm_epsilon"],
        dropout=dropout,
        attention_dropout=dropout,
        activation_dropout=dropout,
    )


def untie_if_stored(
    config: TransformerConfig, tensors: Mapping[str, Tensor]
) -> TransformerConfig:
    """Return a configuration with separate output weights if some are stored.

    A `T5Config` object no longer tells whether the output weights of version 1.1 are
    tied: they are if they equal the embedding, and only unscaled logits may differ.
    """
    head, shared = tensors.get("lm_head.weight"), tensors.get("shared.weight")
    if config.scale_tied_logits or head is None or shared is None:
        return config
    tied = config.tie_embeddings and equal_tensors(head, shared)
    return replace(config, tie_embeddings=tied)


T5 = Family(
    model_types=("t5",),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
    build=Transformer,
    settle=untie_if_stored,
)
config_from_hugging_face = T5.config_from_hugging_face
from_hugging_face = T5.from_hugging_face
