"""gpt-oss: experts with clamped gates, and heads that may look away (OpenAI, 2025)."""

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
from transformer.zoo.layout import Layout, Reading

# Its rotation where a configuration says nothing of it.
BASE = 150_000.0
ROTATION = {
    "rope_type": "yarn",
    "factor": 32.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a gpt-oss of some size.

    Source: OpenAI (2025), model card of gpt-oss, section 2: the norm of the input of
    each branch, experts with clamped gates, a window of 128 positions in every other
    layer, learned scores for seeing nothing, YaRN. Its constants: their released code.
    """
    common = {
        "attention_bias": True,
        "bias": True,
        "activation": "gelu_sigmoid",
        "gate_limit": 7.0,
        "router_bias": True,
        "learned_sinks": True,
    }
    return llama.preset(**common | choices)


EXPERT = "feed_forward.experts.{}"
LAYER = {name: x for name, x in llama.LAYER.items() if not x.startswith("mlp")} | {
    "self_attention.sink_scores": "self_attn.sinks",
    "feed_forward.router": "mlp.router",
    f"{EXPERT}.gate_projection.weight": "mlp.experts.gate_up_proj",
    f"{EXPERT}.gate_projection.bias": "mlp.experts.gate_up_proj_bias",
    f"{EXPERT}.up_projection.weight": "mlp.experts.gate_up_proj",
    f"{EXPERT}.up_projection.bias": "mlp.experts.gate_up_proj_bias",
    f"{EXPERT}.down_projection.weight": "mlp.experts.down_proj",
    f"{EXPERT}.down_projection.bias": "mlp.experts.down_proj_bias",
}


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores gpt-oss: all experts of a layer in one tensor."""
    experts = {
        f"{part}_projection": expert_readings(config.num_experts, first, step)
        for part, first, step in (("gate", 0, 2), ("up", 1, 2), ("down", 0, 1))
    }
    readings = {
        f"decoder.layers.{{}}.{EXPERT}.{part}.{leaf}": reading
        for part, readings in experts.items()
        for leaf, reading in readings.items()
    }
    return llama.layout_of("a GptOssForCausalLM", LAYER, readings=readings)


def expert_readings(number: int, first: int, step: int) -> dict:
    """Return how to read a projection of an expert from that of all, by its leaves.

    Gates and features alternate there, and matrices are transposed.

    Args:
        number: How many experts there are.
        first: The first stored feature that belongs to the projection.
        step: How many features further the next one is.
    """

    def weight(expert: int) -> Reading:
        return Reading(
            lambda shape: (number, shape[1], step * shape[0]),
            lambda stored: stored[expert, :, first::step].T,
        )

    def bias(expert: int) -> Reading:
        return Reading(
            lambda shape: (number, step * shape[0]),
            lambda stored: stored[expert, first::step],
        )

    return {"weight": weight, "bias": bias}


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `GptOssConfig`.

    Its experts have an activation of their own, whatever `hidden_act` says.
    """
    check_fields(fields, swiglu_alpha=(1.702,))
    layers = fields["num_hidden_layers"]
    types = ["sliding_attention", "full_attention"] * layers
    window = fields.get("sliding_window", 128)
    usual = {"num_key_value_heads": 8, "head_dim": 64, "attention_bias": True}
    rope = fields.get("rope_parameters") or fields.get("rope_scaling")
    told = fields if rope else Fields(fields | {"rope_parameters": ROTATION})
    return preset(
        num_experts=fields["num_local_experts"],
        experts_per_token=fields["num_experts_per_tok"],
        gate_limit=fields.get("swiglu_limit", 7.0),
        **decoder_fields(Fields(fields | {"hidden_act": "quick_gelu"}), **usual),
        **rotary_fields(Fields({"rope_theta": BASE} | told)),
        **window_fields(fields, layers=layers, window=window, types=types[:layers]),
    )


GPT_OSS = Family(
    model_types=("gpt_oss",),
    convert=convert,
    layout=layout,
)
config_from_hugging_face = GPT_OSS.config_from_hugging_face
from_hugging_face = GPT_OSS.from_hugging_face
