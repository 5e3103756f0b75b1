"""DeepSeek-V3: latent attention, and experts in groups (DeepSeek-AI, 2024)."""

from math import log

from transformer.checks.values import check_positive
from transformer.config import TransformerConfig
from transformer.zoo import llama
from transformer.zoo.family import Family
from transformer.zoo.fields import (
    Fields,
    check_fields,
    decoder_fields,
    rotary_fields,
    rotation_of,
)
from transformer.zoo.layout import Layout, Reading


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a DeepSeek-V3 of some size.

    Source: DeepSeek-AI (2024, "DeepSeek-V3"), sections 2.1.1 and 2.1.2; that neighbors
    turn together: their released code. It has no layer that predicts a second token.
    """
    common = {"rotary_layout": "interleaved", "router": "sigmoid"}
    return llama.preset(**common | choices)


EXPERT = "feed_forward.experts.{}"
NETWORK = {f"{x}_projection": f"{x}_proj" for x in ("gate", "up", "down")}
LAYER = {name: x for name, x in llama.LAYER.items() if "self_attn" not in x} | {
    "self_attention.query_latent.linear": "self_attn.q_a_proj",
    "self_attention.query_latent.norm": "self_attn.q_a_layernorm",
    "self_attention.query_projection": "self_attn.q_b_proj",
    "self_attention.latent_projection": "self_attn.kv_a_proj_with_mqa",
    "self_attention.latent_norm": "self_attn.kv_a_layernorm",
    "self_attention.unpack_projection": "self_attn.kv_b_proj",
    "self_attention.output_projection": "self_attn.o_proj",
    "feed_forward.router": "mlp.gate",
    "feed_forward.choice_bias": "mlp.gate.e_score_correction_bias",
    f"{EXPERT}.gate_projection.weight": "mlp.experts.gate_up_proj",
    f"{EXPERT}.up_projection.weight": "mlp.experts.gate_up_proj",
    f"{EXPERT}.down_projection.weight": "mlp.experts.down_proj",
    **{f"feed_forward.shared.{x}": f"mlp.shared_experts.{NETWORK[x]}" for x in NETWORK},
}


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores DeepSeek-V3: all experts of a layer in one tensor.

    Published weights hold one layer more, which predicts a second token.
    """
    layer, experts = dict(LAYER), config.num_experts
    if config.query_latent is None:
        layer["self_attention.query_projection"] = "self_attn.q_proj"
    readings = {
        "gate_projection": lambda number: part_of_expert(number, experts, 0, 2),
        "up_projection": lambda number: part_of_expert(number, experts, 1, 2),
        "down_projection": lambda number: part_of_expert(number, experts, 0, 1),
    }
    return llama.layout_of(
        "a DeepseekV3ForCausalLM",
        layer,
        readings={
            f"decoder.layers.{{}}.{EXPERT}.{part}.weight": reading
            for part, reading in readings.items()
        },
        ignored=(r"layers\.61\..*",),
    )


def part_of_expert(expert: int, number: int, part: int, parts: int) -> Reading:
    """Return how to read a matrix of an expert from those of all.

    Args:
        expert: Which expert.
        number: How many experts there are.
        part: Which of the matrices that stand one below the other.
        parts: How many of them there are.
    """
    return Reading(
        lambda shape: (number, parts * shape[0], shape[1]),
        lambda stored: stored[expert].chunk(parts)[part],
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `DeepseekV3Config`."""
    heads = fields["num_attention_heads"]
    check_fields(
        fields,
        num_key_value_heads=(heads, None),
        scoring_func=("sigmoid",),
        topk_method=("noaux_tc",),
        moe_layer_freq=(1,),
    )
    rotation = rotary_fields(fields)
    interleaved = fields.get("rope_interleave", True)
    own = {"num_kv_heads": None, "d_head": fields["qk_nope_head_dim"]}
    return preset(
        **decoder_fields(fields) | own,
        d_rotary=fields["qk_rope_head_dim"],
        d_value=fields["v_head_dim"],
        d_latent=fields["kv_lora_rank"],
        query_latent=fields["q_lora_rank"],
        rotary_layout="interleaved" if interleaved else "half",
        attention_scale=attention_scale(fields, rotation),
        num_experts=fields["n_routed_experts"],
        experts_per_token=fields["num_experts_per_tok"],
        d_expert=fields["moe_intermediate_size"],
        dense_layers=fields.get("first_k_dense_replace", 3),
        shared_experts=fields["n_shared_experts"],
        expert_groups=fields["n_group"],
        groups_per_token=fields["topk_group"],
        normalize_shares=bool(fields.get("norm_topk_prob", True)),
        expert_scale=fields.get("routed_scaling_factor", 2.5),
        **rotation,
    )


def attention_scale(fields: Fields, rotation: dict) -> float | None:
    """Return the factor on the scores, which grows where rotations are slowed."""
    everywhere = rotation_of(fields).get("mscale_all_dim")
    if rotation["rotary_scaling"] == "none" or not everywhere:
        return None
    check_positive("mscale_all_dim", everywhere)
    magnitude = 0.1 * everywhere * log(rotation["rotary_factor"]) + 1
    features = fields["qk_nope_head_dim"] + fields["qk_rope_head_dim"]
    return magnitude**2 * features**-0.5


DEEPSEEK_V3 = Family(
    model_types=("deepseek_v3",),
    convert=convert,
    layout=layout,
)
config_from_hugging_face = DEEPSEEK_V3.config_from_hugging_face
from_hugging_face = DEEPSEEK_V3.from_hugging_face
