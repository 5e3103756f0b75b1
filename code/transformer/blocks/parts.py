"""From configuration to leaves: what is chosen by name is looked up here."""

from collections.abc import Callable
from functools import partial

from torch import nn

from transformer.config import TransformerConfig
from transformer.layers.alibi import alibi_bias
from transformer.layers.feed_forward import GatedFeedForward, PositionwiseFeedForward
from transformer.layers.multi_head_attention import MultiHeadAttention
from transformer.layers.norms import NORMS
from transformer.layers.relative import RelativeKeys, RelativePositionBias
from transformer.layers.residual import ResidualConnection
from transformer.layers.rotary import RotaryEmbedding


def build_layers(kind: Callable[[], nn.Module], number: int) -> nn.ModuleList:
    """Return the layers of a stack, which turn queries and keys by one rotation."""
    layers = nn.ModuleList(kind() for _ in range(number))
    for layer in layers[1:]:
        layer.self_attention.rotary = layers[0].self_attention.rotary
    return layers


def build_norm(config: TransformerConfig) -> nn.Module:
    """Return a norm of the kind that the configuration names."""
    return NORMS[config.norm](config.d_model, eps=config.norm_eps)


def build_final_norm(config: TransformerConfig) -> nn.Module:
    """Return the norm after a stack, or what passes everything on as it is."""
    return build_norm(config) if config.final_norm else nn.Identity()


def build_residual(config: TransformerConfig) -> ResidualConnection:
    """Return the wiring around one sublayer."""
    return ResidualConnection(
        build_norm(config), placement=config.norm_placement, dropout=config.dropout
    )


def build_rotary(config: TransformerConfig) -> RotaryEmbedding:
    """Return the rotation of queries and keys."""
    return RotaryEmbedding(
        config.head_size,
        base=config.rotary_base,
        fraction=config.rotary_fraction,
        layout=config.rotary_layout,
        scaling=config.rotary_scaling,
        factor=config.rotary_factor,
        original_max_len=config.rotary_original_len,
        magnitude=config.rotary_magnitude,
    )


def build_relative_keys(config: TransformerConfig) -> RelativeKeys:
    """Return the vectors of distances that queries meet."""
    return RelativeKeys(config.head_size, max_distance=config.relative_max_distance)


# What self-attention itself must know of positions.
POSITION_IN_ATTENTION = {
    "rotary": ("rotary", build_rotary),
    "relative_keys": ("relative_keys", build_relative_keys),
}


def build_self_attention(config: TransformerConfig) -> MultiHeadAttention:
    """Return attention within one sequence."""
    name, build = POSITION_IN_ATTENTION.get(config.position, (None, None))
    return build_attention(config, **({name: build(config)} if name else {}))


def build_attention(config: TransformerConfig, **positions) -> MultiHeadAttention:
    """Return attention; as it stands, without positions, for cross-attention."""
    return MultiHeadAttention(
        config.d_model,
        config.num_heads,
        num_kv_heads=config.num_kv_heads,
        d_head=config.d_head,
        bias=config.attention_bias,
        scale=None if config.scale_attention else 1.0,
        dropout=config.attention_dropout,
        **positions,
    )


def build_feed_forward(config: TransformerConfig) -> nn.Module:
    """Return the feed-forward network, gated or not."""
    kind = GatedFeedForward if config.gated else PositionwiseFeedForward
    return kind(
        config.d_model,
        config.d_ff,
        activation=config.activation,
        bias=config.bias,
        dropout=config.activation_dropout,
    )


def build_relative_bias(
    config: TransformerConfig, *, bidirectional: bool
) -> RelativePositionBias:
    """Return the learned bias of buckets of distances, one for a whole stack."""
    return RelativePositionBias(
        config.num_heads,
        num_buckets=config.relative_buckets,
        max_distance=config.relative_max_distance,
        bidirectional=bidirectional,
    )


def build_alibi_bias(config: TransformerConfig, *, bidirectional: bool) -> Callable:
    """Return the bias that grows with distance, the same in both directions."""
    return partial(alibi_bias, config.num_heads)


# Biases of the scores that a stack computes once for all its layers.
POSITION_IN_STACK = {"relative": build_relative_bias, "alibi": build_alibi_bias}


def build_position_bias(
    config: TransformerConfig, *, bidirectional: bool
) -> Callable | None:
    """Return what computes the bias of the scores from positions, in a dtype."""
    build = POSITION_IN_STACK.get(config.position)
    return None if build is None else build(config, bidirectional=bidirectional)


# Checks


def check_branches(config: TransformerConfig, *, side_by_side: bool) -> None:
    """Check that a configuration arranges the branches of a layer as the layer does."""
    if config.parallel_residual != side_by_side:
        raise ValueError(
            f"this layer must have parallel_residual={side_by_side}, got "
            f"{config.parallel_residual}; build a ParallelLayer if it is True, and an "
            "EncoderLayer or a DecoderLayer if not."
        )
