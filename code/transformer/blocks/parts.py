"""From configuration to leaves: what is chosen by name is looked up here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from torch import nn

from transformer.config import TransformerConfig
from transformer.layers.alibi import alibi_bias
from transformer.layers.branch_norms import NormedProjection, SandwichConnection
from transformer.layers.clamped_feed_forward import gated_network
from transformer.layers.feed_forward import PositionwiseFeedForward
from transformer.layers.grid_rotary import GridRotaryEmbedding
from transformer.layers.grouped_experts import GroupedExperts
from transformer.layers.latent_attention import MultiHeadLatentAttention
from transformer.layers.linear_mixer import LinearAttention
from transformer.layers.mixture_of_experts import MixtureOfExperts
from transformer.layers.multi_head_attention import MultiHeadAttention
from transformer.layers.norms import NORMS, OnePlusRMSNorm
from transformer.layers.recurrent_mixer import RecurrentMixer
from transformer.layers.relative import RelativeKeys, RelativePositionBias
from transformer.layers.residual import NoBranch, ResidualConnection
from transformer.layers.rotary import RotaryEmbedding
from transformer.layers.state_space import Mamba2Mixer
from transformer.layers.windowed_attention import WindowedAttention


def build_layers(
    kind: Callable[[TransformerConfig], nn.Module],
    configs: Sequence[TransformerConfig],
) -> nn.ModuleList:
    """Return the layers of a stack, of which those that turn alike share a rotation."""
    layers, rotations = nn.ModuleList(kind(config) for config in configs), {}
    for layer, config in zip(layers, configs, strict=True):
        turns = (config.rotary_base, config.rotary_scaling)
        own = layer.self_attention.rotary
        layer.self_attention.rotary = rotations.setdefault(turns, own)
    return layers


def build_norm(config: TransformerConfig) -> nn.Module:
    """Return a norm of the kind that the configuration names."""
    return norm_of(config, config.d_model)


def norm_of(config: TransformerConfig, features: int) -> nn.Module:
    """Return a norm of so many features, those of a vector or of a head."""
    kind = OnePlusRMSNorm if config.gain_from_one else NORMS[config.norm]
    return kind(features, eps=config.norm_eps)


def build_final_norm(config: TransformerConfig) -> nn.Module:
    """Return the norm after a stack, or what passes everything on as it is."""
    return build_norm(config) if config.final_norm else nn.Identity()


def build_residual(config: TransformerConfig) -> ResidualConnection:
    """Return the wiring around one sublayer."""
    if config.norm_branches:
        norms = build_norm(config), build_norm(config)
        return SandwichConnection(*norms, dropout=config.dropout)
    return ResidualConnection(
        build_norm(config), placement=config.norm_placement, dropout=config.dropout
    )


def build_rotary(config: TransformerConfig) -> RotaryEmbedding:
    """Return the rotation of queries and keys; for an image, by row and column."""
    if config.image_size is not None:
        return GridRotaryEmbedding(
            config.head_size,
            columns=config.patch_grid[1],
            first=int(config.class_token),
            base=config.rotary_base,
            layout=config.rotary_layout,
        )
    return RotaryEmbedding(
        config.d_rotary or config.head_size,
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
    if config.d_latent is not None:
        return build_latent_attention(config)
    name, build = POSITION_IN_ATTENTION.get(config.position, (None, None))
    kind, own = MultiHeadAttention, {name: build(config)} if name else {}
    if config.window is not None or config.learned_sinks:
        kind = partial(
            WindowedAttention,
            window=config.window,
            sink_tokens=config.sink_tokens,
            learned_sinks=config.learned_sinks,
        )
    attention = build_attention(config, kind, **own)
    if config.query_key_norm:
        for part in ("query_projection", "key_projection"):
            norm = norm_of(config, config.head_size)
            linear, size = getattr(attention, part), config.head_size
            setattr(attention, part, NormedProjection(linear, norm, d_head=size))
    return attention


def build_latent_attention(config: TransformerConfig) -> MultiHeadLatentAttention:
    """Return attention whose keys and values are read off one short vector."""
    return MultiHeadLatentAttention(
        config.d_model,
        config.num_heads,
        d_latent=config.d_latent,
        d_head=config.head_size,
        rotary=build_rotary(config),
        d_value=config.d_value,
        query_latent=config.query_latent,
        bias=config.attention_bias,
        scale=scale_of(config),
        dropout=config.attention_dropout,
    )


def head_sizes(config: TransformerConfig) -> dict[str, object]:
    """Return the sizes of heads and of the projections to them and back."""
    return {
        "d_model": config.d_model,
        "num_heads": config.num_heads,
        "num_kv_heads": config.num_kv_heads,
        "d_head": config.d_head,
        "bias": config.attention_bias,
    }


def scale_of(config: TransformerConfig) -> float | None:
    """Return the factor on the scores; None for the inverse root of a head's size."""
    return config.attention_scale or (None if config.scale_attention else 1.0)


def build_attention(
    config: TransformerConfig,
    kind: Callable[..., MultiHeadAttention] = MultiHeadAttention,
    **positions: nn.Module,
) -> MultiHeadAttention:
    """Return attention; as it stands, without positions, for cross-attention."""
    return kind(
        **head_sizes(config),
        scale=scale_of(config),
        dropout=config.attention_dropout,
        **positions,
    )


def build_linear(config: TransformerConfig, **choices: object) -> LinearAttention:
    """Return linear attention of some kind."""
    return LinearAttention(**head_sizes(config), eps=config.norm_eps, **choices)


def build_mamba2(config: TransformerConfig) -> Mamba2Mixer:
    """Return the mixer of Mamba-2."""
    return Mamba2Mixer(
        config.d_model,
        config.num_heads,
        d_head=config.d_head,
        d_state=config.state_size,
        num_groups=config.state_groups,
        kernel_size=config.convolution_size,
        bias=config.attention_bias,
        eps=config.norm_eps,
    )


signed = partial(build_linear, feature_map="identity")
# What takes the place of self-attention, by the name of a mixer.
MIXERS: dict[str, Callable[[TransformerConfig], RecurrentMixer]] = {
    "linear": build_linear,
    "retention": partial(signed, decay="fixed"),
    "gated": partial(signed, decay="gate"),
    "delta": partial(signed, delta=True),
    "gated_delta": partial(signed, decay="gate", delta=True),
    "mamba2": build_mamba2,
}


def plain(config: TransformerConfig) -> TransformerConfig:
    """Return a configuration whose layers have attention with softmax and a network."""
    return replace(config, mixers="softmax", feed_forward=True)


def arrange(layer: nn.Module, config: TransformerConfig, mixer: str) -> None:
    """Put a mixer into a plain layer, and take out the network that is not wanted."""
    if mixer != "softmax":
        layer.self_attention = MIXERS[mixer](config)
    if not config.feed_forward:
        layer.feed_forward, layer.feed_forward_residual = nn.Identity(), NoBranch()


def build_feed_forward(config: TransformerConfig) -> nn.Module:
    """Return the feed-forward network: experts, or one that is gated or not."""
    kind, width = PositionwiseFeedForward, config.d_ff
    if config.num_experts:
        kind, width = partial(EXPERTS[config.router], config), config.d_expert or width
    elif config.gated:
        kind = partial(gated_network, limit=config.gate_limit)
    return kind(
        config.d_model,
        width,
        activation=config.activation,
        bias=config.bias,
        dropout=config.activation_dropout,
    )


def build_experts(
    config: TransformerConfig,
    *sizes: int,
    kind: Callable[..., MixtureOfExperts] = MixtureOfExperts,
    **options: object,
) -> MixtureOfExperts:
    """Return experts, of which each position asks some."""
    return kind(
        *sizes,
        num_experts=config.num_experts,
        experts_per_token=config.experts_per_token,
        router_bias=config.router_bias,
        limit=config.gate_limit,
        **options,
    )


def build_grouped_experts(
    config: TransformerConfig, *sizes: int, **options: object
) -> GroupedExperts:
    """Return experts in groups, some of which each position asks."""
    kind = partial(
        GroupedExperts,
        num_groups=config.expert_groups,
        groups_per_token=config.groups_per_token,
        shared_experts=config.shared_experts,
        normalize=config.normalize_shares,
        scale=config.expert_scale,
    )
    return build_experts(config, *sizes, kind=kind, **options)


# Experts, by what makes shares of the logits of their router.
EXPERTS = {"softmax": build_experts, "sigmoid": build_grouped_experts}


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
    if config != plain(config):
        raise ValueError(
            "a layer by itself must have attention with softmax and a network, got "
            f"mixers={config.mixers!r} and feed_forward={config.feed_forward}; build a "
            "Decoder, or put what you want in the place of a part."
        )
    if config.parallel_residual != side_by_side:
        raise ValueError(
            f"this layer must have parallel_residual={side_by_side}, got "
            f"{config.parallel_residual}; build a ParallelLayer if it is True, and an "
            "EncoderLayer or a DecoderLayer if not."
        )


def check_one_window(config: TransformerConfig) -> None:
    """Check that a configuration of one layer has one window."""
    if not isinstance(config.window, int | None):
        raise ValueError(
            f"a layer must have one window, got {config.window}, of which layers have "
            "one in turn; pass config.of_layer(number)."
        )
