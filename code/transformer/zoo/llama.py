"""Llama: the decoder of today's language models (Touvron et al., 2023)."""

from collections.abc import Mapping
from typing import Any

from transformer.config import TransformerConfig
from transformer.zoo.family import Family
from transformer.zoo.fields import Fields, check_fields, decoder_fields, rotary_fields
from transformer.zoo.layout import Layout, layer_names


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a Llama of some size.

    Source: Touvron et al. (2023, "LLaMA"), section 2.2: the norm of the input of each
    branch, SwiGLU and rotary embeddings.
    """
    common = {
        "num_encoder_layers": 0,
        "position": "rotary",
        "norm": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "activation": "silu",
        "gated": True,
        "bias": False,
        "scale_embeddings": False,
        "tie_embeddings": False,
        "initialization": "normal",
    }
    return TransformerConfig(**common | choices)


# Source: Touvron et al. (2023, "Llama 2"), Table 1 and section 2.2.
LLAMA_2 = {"vocab_size": 32_000, "max_len": 4096}
# Source: Grattafiori et al. (2024), Table 3.
LLAMA_3 = {
    "vocab_size": 128_256,
    "num_kv_heads": 8,
    "rotary_base": 500_000.0,
}
LLAMA_3_8B = LLAMA_3 | {
    "num_decoder_layers": 32,
    "d_model": 4096,
    "d_ff": 14_336,
    "num_heads": 32,
}
STRETCHED = {
    "max_len": 131_072,
    "rotary_scaling": "llama3",
    "rotary_original_len": 8192,
}

CONFIGS = {
    "llama-2-7b": preset(
        num_decoder_layers=32, d_model=4096, d_ff=11_008, num_heads=32, **LLAMA_2
    ),
    "llama-2-13b": preset(
        num_decoder_layers=40, d_model=5120, d_ff=13_824, num_heads=40, **LLAMA_2
    ),
    "llama-2-70b": preset(
        num_decoder_layers=80,
        d_model=8192,
        d_ff=28_672,
        num_heads=64,
        num_kv_heads=8,
        **LLAMA_2,
    ),
    "llama-3-8b": preset(max_len=8192, **LLAMA_3_8B),
    "llama-3.1-8b": preset(rotary_factor=8.0, **LLAMA_3_8B, **STRETCHED),
    "llama-3.2-1b": preset(
        num_decoder_layers=16,
        d_model=2048,
        d_ff=8192,
        num_heads=32,
        tie_embeddings=True,
        rotary_factor=32.0,
        **LLAMA_3,
        **STRETCHED,
    ),
    # Allal et al. (2025), whose released configuration gives the sizes.
    "smollm2-135m": preset(
        vocab_size=49_152,
        max_len=8192,
        num_decoder_layers=30,
        d_model=576,
        d_ff=1536,
        num_heads=9,
        num_kv_heads=3,
        tie_embeddings=True,
        rotary_base=100_000.0,
    ),
    # Jiang et al. (2023), Table 1. Of the first version, which sees 4,096 positions.
    "mistral-7b": preset(
        vocab_size=32_000,
        max_len=4096,
        window=4096,
        num_decoder_layers=32,
        d_model=4096,
        d_ff=14_336,
        num_heads=32,
        num_kv_heads=8,
    ),
}

OUTSIDE = {
    "embedding.tokens.embedding": "embed_tokens",
    "decoder.norm": "norm",
    "head.projection": "lm_head",
}
LAYER = {
    "self_attention.query_projection": "self_attn.q_proj",
    "self_attention.key_projection": "self_attn.k_proj",
    "self_attention.value_projection": "self_attn.v_proj",
    "self_attention.output_projection": "self_attn.o_proj",
    "self_attention_residual.norm": "input_layernorm",
    "feed_forward.gate_projection": "mlp.gate_proj",
    "feed_forward.up_projection": "mlp.up_proj",
    "feed_forward.down_projection": "mlp.down_proj",
    "feed_forward_residual.norm": "post_attention_layernorm",
}


def layout_of(source: str, layer: Mapping[str, str], **more: Any) -> Layout:
    """Return how Hugging Face stores a Llama or its kin, with layers of some names."""
    return Layout(
        source=source,
        names=OUTSIDE | layer_names("decoder.layers.{}", "layers.{}", layer),
        spellings={r"^model\.": ""},
        tied={"lm_head.weight": "embed_tokens.weight"},
        **more,
    )


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores Llama."""
    ignored = (r"(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq",)
    return layout_of("a LlamaForCausalLM", LAYER, ignored=ignored)


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `LlamaConfig`.

    Those of a `MistralConfig` mean the same, and may give all layers a window, which
    counts the position itself.
    """
    window = None
    if fields["model_type"] == "mistral":
        window = fields.get("sliding_window", 4096)
        check_fields(fields, attention_bias=(False, None), mlp_bias=(False, None))
        check_fields(fields, layer_types=(None,))
    return preset(
        window=window,
        bias=fields.get("mlp_bias", False),
        **decoder_fields(fields),
        **rotary_fields(fields),
    )


LLAMA = Family(
    model_types=("llama", "mistral"),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
)
config_from_hugging_face = LLAMA.config_from_hugging_face
from_hugging_face = LLAMA.from_hugging_face
