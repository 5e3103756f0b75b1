"""The original: an encoder and a decoder that translate (Vaswani et al., 2017).

`from_hugging_face` loads a close relative whose weights are public: the translators
trained with Marian (Junczys-Dowmunt et al., 2018).
"""

import torch
from torch import Tensor

from transformer.config import TransformerConfig
from transformer.layers import sinusoidal_table
from transformer.models import Transformer
from transformer.zoo.family import Family
from transformer.zoo.fields import Fields, activation_name, check_fields
from transformer.zoo.layout import Layout, Reading, layer_names

# Source: Vaswani et al. (2017), Table 3; section 5.1 for the vocabulary of English and
# German. The formulas of section 3.2.2 have no biases, and Figure 1 no final norm. The
# paper names no epsilon: that of the norms is `norm_epsilon` of tensor2tensor
# (Vaswani et al., 2018), in `layers/common_hparams.py`.
CONFIGS = {
    "transformer-base": TransformerConfig(
        vocab_size=37_000, norm_eps=1e-6, dropout=0.1
    ),
    "transformer-big": TransformerConfig(
        vocab_size=37_000,
        d_model=1024,
        d_ff=4096,
        num_heads=16,
        norm_eps=1e-6,
        dropout=0.3,
    ),
}

LAYER = {
    "self_attention.query_projection": "self_attn.q_proj",
    "self_attention.key_projection": "self_attn.k_proj",
    "self_attention.value_projection": "self_attn.v_proj",
    "self_attention.output_projection": "self_attn.out_proj",
    "self_attention_residual.norm": "self_attn_layer_norm",
    "feed_forward.up_projection": "fc1",
    "feed_forward.down_projection": "fc2",
    "feed_forward_residual.norm": "final_layer_norm",
}
CROSS_ATTENTION = {
    "cross_attention.query_projection": "encoder_attn.q_proj",
    "cross_attention.key_projection": "encoder_attn.k_proj",
    "cross_attention.value_projection": "encoder_attn.v_proj",
    "cross_attention.output_projection": "encoder_attn.out_proj",
    "cross_attention_residual.norm": "encoder_attn_layer_norm",
}


def interleave(stored: Tensor, axis: int) -> Tensor:
    r"""Reorder [first half | second half] along an axis to pairs of both.

    $$y_{2i} = x_i, \qquad y_{2i+1} = x_{d/2+i}$$

    Marian keeps the encoding of a position as [all sines | all cosines], we as the
    paper has it: sine, cosine, sine, cosine. To name the features of the residual
    stream in another order changes no output, if all that reads or writes the stream
    is reordered: the embeddings, the norms, and one side of each matrix.
    """
    halves = stored.unflatten(axis, (2, -1))
    return halves.transpose(axis, axis + 1).flatten(axis, axis + 1)


# What writes to the residual stream has its features in rows (for an embedding and for
# what reads the stream: in columns).
ROWS = Reading(lambda shape: shape, lambda stored: interleave(stored, 0))
COLUMNS = Reading(lambda shape: shape, lambda stored: interleave(stored, 1))


def readings() -> dict[str, Reading]:
    """Return how to read what touches the residual stream, and the output bias."""
    found = {
        "embedding.tokens.embedding.weight": COLUMNS,
        # Stored as one row.
        "head.projection.bias": Reading(lambda shape: (1, *shape), lambda row: row[0]),
    }
    for module in LAYER | CROSS_ATTENTION:
        for stack in ("encoder", "decoder"):
            name = f"{stack}.layers.{{}}.{module}"
            if module.endswith(("output_projection", "down_projection", "norm")):
                found |= {f"{name}.weight": ROWS, f"{name}.bias": ROWS}
            else:
                found[f"{name}.weight"] = COLUMNS
    return found


def layout(config: TransformerConfig) -> Layout:
    """Return how Hugging Face stores Marian."""
    copies = ("encoder.embed_tokens", "decoder.embed_tokens", "lm_head")
    with torch.device("cpu"):  # where stored tables are compared with it
        table = sinusoidal_table(config.max_len, config.d_model)  # sine, cosine, …
    halves = table.unflatten(1, (-1, 2)).transpose(1, 2).flatten(start_dim=1)
    return Layout(
        source="a MarianMTModel",
        names={
            "embedding.tokens.embedding": "shared",
            "head.projection.bias": "final_logits_bias",
        }
        | layer_names("encoder.layers.{}", "encoder.layers.{}", LAYER)
        | layer_names(
            "decoder.layers.{}", "decoder.layers.{}", LAYER | CROSS_ATTENTION
        ),
        readings=readings(),
        spellings={r"^model\.": ""},
        tied={f"{name}.weight": "shared.weight" for name in copies},
        tables={
            "encoder.embed_positions.weight": halves,
            "decoder.embed_positions.weight": halves,
        },
    )


def convert(fields: Fields) -> TransformerConfig:
    """Return our configuration for the fields of a `MarianConfig`.

    No `pad_id` is set, because a target starts with the token that pads: pass masks.
    """
    check_fields(
        fields,
        decoder_vocab_size=(fields["vocab_size"], None),
        decoder_ffn_dim=(fields["encoder_ffn_dim"],),
        decoder_attention_heads=(fields["encoder_attention_heads"],),
        share_encoder_decoder_embeddings=(True,),
        tie_word_embeddings=(True,),
        static_position_embeddings=(True,),
        normalize_before=(False,),
        normalize_embedding=(False,),
        add_final_layer_norm=(False,),
    )
    return TransformerConfig(
        vocab_size=fields["vocab_size"],
        max_len=fields["max_position_embeddings"],
        num_encoder_layers=fields["encoder_layers"],
        num_decoder_layers=fields["decoder_layers"],
        d_model=fields["d_model"],
        d_ff=fields["encoder_ffn_dim"],
        num_heads=fields["encoder_attention_heads"],
        activation=activation_name(fields["activation_function"]),
        attention_bias=True,
        scale_embeddings=fields["scale_embedding"],
        logits_bias=True,
        dropout=fields["dropout"],
        attention_dropout=fields["attention_dropout"],
        activation_dropout=fields["activation_dropout"],
    )


MARIAN = Family(
    model_types=("marian",),
    configs=CONFIGS,
    convert=convert,
    layout=layout,
    build=Transformer,
)
config_from_hugging_face = MARIAN.config_from_hugging_face
from_hugging_face = MARIAN.from_hugging_face
