"""GPT-NeoX: attention and feed-forward network side by side (Black et al., 2022)."""

from torch import Tensor

from transformer.config import TransformerConfig
from transformer.zoo.family import Family
from transformer.zoo.fields import Fields, check_fields, rotary_fields, size_fields
from transformer.zoo.layout import Layout, Reading, layer_names


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a GPT-NeoX of some size.

    Source: Black et al. (2022), section 2.1: rotation of a quarter of each head,
    parallel branches, two norms in each layer; separate output weights: their
    released code.
    """
    common = {
        "max_len": 2048,
        "num_encoder_layers": 0,
        "position": "rotary",
        "rotary_fraction": 0.25,
        "norm_placement": "pre",
        "final_norm": True,
        "activation": "gelu",
        "attention_bias": True,
        "scale_embeddings": False,
        "tie_embeddings": False,
        "parallel_residual": True,
        "initialization": "normal",
    }
    return TransformerConfig(**common | choices)


CONFIGS = {
    "gpt-neox-20b": preset(
        vocab_size=50_432,
        num_decoder_layers=44,
        d_model=6144,
        d_ff=24_576,
        num_heads=64,
        activation="gelu_tanh",
    ),
    # Biderman et al. (2023), Table 1.
    "pythia-160m": preset(
        vocab_size=50_304,
        num_decoder_layers=12,
        d_model=768,
        d_ff=3072,
        num_heads=12,
    ),
}

LAYER = {
    "self_attention.query_projection": "attention.query_key_value",
    "self_attention.key_projection": "attention.query_key_value",
    "self_attention.value_projection": "attention.query_key_value",
    "self_attention.output_projection": "attention.dense",
    "self_attention_residual.norm": "input_layernorm",
    "feed_forward.up_projection": "mlp.dense_h_to_4h",
    "feed_forward.down_projection": "mlp.dense_4h_to_h",
    "feed_forward_residual.norm": "post_attention_layernorm",
}


def part_of_heads(part: int, num_heads: int) -> Reading:
    """Read the query, key or value of each head, which lie head by head."""

    def whole(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (3 * shape[0], *shape[1:])

    def take(stored: Tensor) -> Tensor:
        heads = stored.unflatten(0, (num_heads, 3, -1))  # (heads, 3, d_head, ...)
        return heads[:, part].flatten(end_dim=1)

    return Reading(whole, take)


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores GPT-NeoX."""
    return Layout(
        source="a GPTNeoXForCausalLM",
        names={
            "embedding.tokens.embedding": "embed_in",
            "decoder.norm": "final_layer_norm",
            "head.projection": "lm_head",
        }
        | layer_names("decoder.layers.{}", "layers.{}", LAYER),
        readings={
            f"decoder.layers.{{}}.self_attention.{name}_projection.{leaf}": (
                part_of_heads(part, config.num_heads)
            )
            for part, name in enumerate(("query", "key", "value"))
            for leaf in ("weight", "bias")
        },
        spellings={r"^gpt_neox\.": "", r"^embed_out\.": "lm_head."},
        tied={"lm_head.weight": "embed_in.weight"},
        # Causal masks and frequencies, in older files.
        ignored=(
            r"layers\.\d+\.attention\.(masked_)?bias",
            r"(layers\.\d+\.attention\.)?rotary_emb\.inv_freq",
        ),
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `GPTNeoXConfig`."""
    usual = fields["hidden_size"] // fields["num_attention_heads"]
    check_fields(fields, is_decoder=(False,), head_dim=(usual, None))
    return preset(
        attention_bias=fields.get("attention_bias", True),
        tie_embeddings=fields.get("tie_word_embeddings", False),
        parallel_residual=fields.get("use_parallel_residual", True),
        norm_eps=fields["layer_norm_eps"],
        dropout=fields.get("hidden_dropout") or 0.0,
        attention_dropout=fields.get("attention_dropout") or 0.0,
        **size_fields(fields, layers="num_decoder_layers"),
        **rotary_fields(fields, fraction=0.25),
    )


GPT_NEOX = Family(
    model_types=("gpt_neox",),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
)
config_from_hugging_face = GPT_NEOX.config_from_hugging_face
from_hugging_face = GPT_NEOX.from_hugging_face
