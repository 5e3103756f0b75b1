"""Qwen3: a Llama whose queries and keys are normalized (Yang et al., 2025)."""

from transformer.config import TransformerConfig
from transformer.zoo import llama
from transformer.zoo.family import Family
from transformer.zoo.fields import Fields, decoder_fields, rotary_fields, window_fields
from transformer.zoo.layout import Layout


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a Qwen3 of some size, without experts.

    Source: Yang et al. (2025, "Qwen3"), section 2: the norms of queries and keys;
    otherwise as Llama.
    """
    return llama.preset(**{"query_key_norm": True} | choices)


def layer_of(llama_layer: dict[str, str]) -> dict[str, str]:
    """Return where a layer is stored whose queries and keys have a norm behind them."""
    names = dict(llama_layer)
    for ours, theirs in (("query", "q"), ("key", "k")):
        names.pop(f"self_attention.{ours}_projection")
        linear, norm = f"self_attn.{theirs}_proj", f"self_attn.{theirs}_norm"
        names[f"self_attention.{ours}_projection.linear"] = linear
        names[f"self_attention.{ours}_projection.norm"] = norm
    return names


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores Qwen3."""
    return llama.layout_of("a Qwen3ForCausalLM", layer_of(llama.LAYER))


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `Qwen3Config`."""
    layers = fields["num_hidden_layers"]
    window = fields.get("sliding_window", 4096)
    if not fields.get("use_sliding_window", False):
        window = None
    first = layers if window is None else fields.get("max_window_layers", 28)
    types = ["full_attention"] * min(first, layers)
    types += ["sliding_attention"] * (layers - len(types))
    return preset(
        **decoder_fields(fields, num_key_value_heads=32, head_dim=128),
        **rotary_fields(fields),
        **window_fields(fields, layers=layers, window=window, types=types),
    )


QWEN3 = Family(
    model_types=("qwen3",),
    convert=convert,
    layout=layout,
)
config_from_hugging_face = QWEN3.config_from_hugging_face
from_hugging_face = QWEN3.from_hugging_face
