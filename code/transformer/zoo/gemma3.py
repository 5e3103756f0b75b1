"""Gemma 3: layers with and without a window in turn (Gemma Team, 2025)."""

from transformer.config import TransformerConfig
from transformer.zoo import llama
from transformer.zoo.family import Family
from transformer.zoo.fields import (
    Fields,
    check_fields,
    decoder_fields,
    rotary_fields,
    window_fields,
)
from transformer.zoo.layout import Layout
from transformer.zoo.qwen3 import layer_of

BASES = {"full_attention": 1_000_000.0, "sliding_attention": 10_000.0}


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a Gemma 3 of some size, which reads text alone.

    Source: Gemma Team (2025), section 2: norms of queries and keys, of the input and
    of the output of each branch; five layers with a window to one without. That gains
    count from one, and that embeddings are scaled: their released code.
    """
    common = {
        "gain_from_one": True,
        "norm_branches": True,
        "query_key_norm": True,
        "activation": "gelu_tanh",
        "scale_embeddings": True,
        "tie_embeddings": True,
    }
    return llama.preset(**common | choices)


LAYER = layer_of(llama.LAYER) | {
    "self_attention_residual.norm_after": "post_attention_layernorm",
    "feed_forward_residual.norm": "pre_feedforward_layernorm",
    "feed_forward_residual.norm_after": "post_feedforward_layernorm",
}


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores the text model of Gemma 3."""
    return llama.layout_of("a Gemma3ForCausalLM", LAYER)


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `Gemma3TextConfig`."""
    check_fields(
        fields,
        attn_logit_softcapping=(None,),
        final_logit_softcapping=(None,),
        use_bidirectional_attention=(False, None),
    )
    layers = fields["num_hidden_layers"]
    every = fields.get("sliding_window_pattern", 6)
    types = [
        "sliding_attention" if number % every else "full_attention"
        for number in range(1, layers + 1)
    ]
    window = fields.get("sliding_window", 4096)
    windows = window_fields(fields, layers=layers, window=window, types=types)
    far, near = rotations(fields)
    if windows["window"] is not None:
        windows["local_rotary_base"] = near
    activation = {"hidden_act": fields.get("hidden_activation", "gelu_pytorch_tanh")}
    usual = {"num_key_value_heads": 4, "head_dim": 256, "tie_word_embeddings": True}
    return preset(
        attention_scale=fields.get("query_pre_attn_scalar", 256) ** -0.5,
        **decoder_fields(Fields(fields | activation), **usual),
        **far,
        **windows,
    )


def rotations(fields: Fields) -> tuple[dict, float]:
    """Return our fields of the rotation, and the base in layers with a window.

    Args:
        fields: Their configuration, in its present spelling, with a dictionary for
            each kind of layer in `rope_parameters`, or in the older one.
    """
    said = fields.get("rope_parameters")
    if said is None:
        older = {"rope_theta": BASES["full_attention"]} | fields
        near = fields.get("rope_local_base_freq", BASES["sliding_attention"])
        local = rotary_fields(Fields(rope_theta=near))
        return rotary_fields(Fields(older)), local["rotary_base"]
    found = {}
    for kind, base in BASES.items():
        check_fields({kind: type(said.get(kind) or {}).__name__}, **{kind: ("dict",)})
        rope = {"rope_theta": base} | (said.get(kind) or {})
        own = {name: x for name, x in fields.items() if name != "rope_scaling"}
        found[kind] = rotary_fields(Fields(own | {"rope_parameters": rope}))
    near = found["sliding_attention"]
    check_fields(near, rotary_scaling=("none",))
    return found["full_attention"], near["rotary_base"]


GEMMA_3 = Family(
    model_types=("gemma3_text",),
    convert=convert,
    layout=layout,
)
config_from_hugging_face = GEMMA_3.config_from_hugging_face
from_hugging_face = GEMMA_3.from_hugging_face
