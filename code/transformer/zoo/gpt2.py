"""GPT-2: a decoder that continues a text (Radford et al., 2019)."""

from torch import Tensor

from transformer.config import TransformerConfig
from transformer.zoo.family import Family
from transformer.zoo.fields import Fields, activation_name, check_fields
from transformer.zoo.layout import Layout, Reading, layer_names


def preset(**choices: object) -> TransformerConfig:
    """Return the configuration of a GPT-2 of some size.

    Source: Radford et al. (2019), section 2.3 and Table 2; GELU in its tanh form and
    the biases: their released code.
    """
    common = {
        "vocab_size": 50_257,
        "max_len": 1024,
        "num_encoder_layers": 0,
        "position": "learned",
        "norm_placement": "pre",
        "final_norm": True,
        "activation": "gelu_tanh",
        "attention_bias": True,
        "scale_embeddings": False,
        "initialization": "depth_scaled",
        "dropout": 0.1,
        "attention_dropout": 0.1,
    }
    return TransformerConfig(**common | choices)


CONFIGS = {
    "gpt2": preset(num_decoder_layers=12, d_model=768, d_ff=3072, num_heads=12),
    "gpt2-medium": preset(num_decoder_layers=24, d_model=1024, d_ff=4096, num_heads=16),
    "gpt2-large": preset(num_decoder_layers=36, d_model=1280, d_ff=5120, num_heads=20),
    "gpt2-xl": preset(num_decoder_layers=48, d_model=1600, d_ff=6400, num_heads=25),
}

LAYER = {
    "self_attention.query_projection": "attn.c_attn",
    "self_attention.key_projection": "attn.c_attn",
    "self_attention.value_projection": "attn.c_attn",
    "self_attention.output_projection": "attn.c_proj",
    "self_attention_residual.norm": "ln_1",
    "feed_forward.up_projection": "mlp.c_fc",
    "feed_forward.down_projection": "mlp.c_proj",
    "feed_forward_residual.norm": "ln_2",
}
# Their `Conv1D` keeps a matrix as (in, out); a linear layer as (out, in).
TRANSPOSED = Reading(lambda shape: shape[::-1], Tensor.t)


def third(part: int) -> Reading:
    """Read one of the three blocks [queries | keys | values] that lie side by side."""

    def whole(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:0:-1], 3 * shape[0])

    return Reading(whole, lambda stored: stored.chunk(3, dim=-1)[part].t())


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores GPT-2."""
    readings = {
        "self_attention.query_projection.weight": third(0),
        "self_attention.query_projection.bias": third(0),
        "self_attention.key_projection.weight": third(1),
        "self_attention.key_projection.bias": third(1),
        "self_attention.value_projection.weight": third(2),
        "self_attention.value_projection.bias": third(2),
        "self_attention.output_projection.weight": TRANSPOSED,
        "feed_forward.up_projection.weight": TRANSPOSED,
        "feed_forward.down_projection.weight": TRANSPOSED,
    }
    return Layout(
        source="a GPT2LMHeadModel or GPT2Model",
        names={
            "embedding.tokens.embedding": "wte",
            "embedding.positions.embedding": "wpe",
            "decoder.norm": "ln_f",
        }
        | layer_names("decoder.layers.{}", "h.{}", LAYER),
        readings={f"decoder.layers.{{}}.{name}": r for name, r in readings.items()},
        spellings={r"^transformer\.": ""},
        tied={"lm_head.weight": "wte.weight"},
        ignored=(r"h\.\d+\.attn\.(masked_)?bias",),  # causal masks, in older files
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `GPT2Config`."""
    dropout = fields["resid_pdrop"]
    check_fields(
        fields,
        embd_pdrop=(dropout,),
        scale_attn_weights=(True,),
        scale_attn_by_inverse_layer_idx=(False,),
        add_cross_attention=(False,),
        tie_word_embeddings=(True,),
    )
    return preset(
        vocab_size=fields["vocab_size"],
        max_len=fields["n_positions"],
        num_decoder_layers=fields["n_layer"],
        d_model=fields["n_embd"],
        d_ff=fields.get("n_inner") or 4 * fields["n_embd"],
        num_heads=fields["n_head"],
        activation=activation_name(fields["activation_function"]),
        norm_eps=fields["layer_norm_epsilon"],
        dropout=dropout,
        attention_dropout=fields["attn_pdrop"],
    )


GPT2 = Family(
    model_types=("gpt2",),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
)
config_from_hugging_face = GPT2.config_from_hugging_face
from_hugging_face = GPT2.from_hugging_face
