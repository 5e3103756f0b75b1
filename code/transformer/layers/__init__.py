"""The leaves of the model: plain numbers in, tensors out."""

from transformer.layers.activations import (
    ACTIVATIONS,
    gelu,
    gelu_sigmoid,
    gelu_tanh,
    get_activation,
    identity,
    relu,
    sigmoid,
    silu,
    squared_relu,
    swish,
    tanh,
)
from transformer.layers.alibi import alibi_bias, alibi_slopes
from transformer.layers.attention import AttentionOutput, scaled_dot_product_attention
from transformer.layers.branch_norms import NormedProjection, SandwichConnection
from transformer.layers.cache import DecoderCache, KVCache, LayerCache
from transformer.layers.clamped_feed_forward import ClampedFeedForward
from transformer.layers.conv_feed_forward import ConvFeedForward
from transformer.layers.distances import relative_buckets, relative_distances
from transformer.layers.embeddings import TokenEmbedding
from transformer.layers.feed_forward import (
    GatedFeedForward,
    PositionwiseFeedForward,
    gated_width,
)
from transformer.layers.grid_rotary import GridRotaryEmbedding
from transformer.layers.grouped_experts import GroupedExperts
from transformer.layers.int8 import Int8Linear
from transformer.layers.latent_attention import LatentCache, MultiHeadLatentAttention
from transformer.layers.linear_attention import (
    LinearOutput,
    chunked_linear_attention,
    decay_mask,
    masked_linear_attention,
    recurrent_linear_attention,
)
from transformer.layers.linear_mixer import (
    FEATURE_MAPS,
    LinearAttention,
    elu_plus_one,
    retention_decays,
)
from transformer.layers.masks import causal_mask, padding_mask, window_mask
from transformer.layers.mixture_of_experts import (
    MixtureOfExperts,
    Routing,
    load_balancing_loss,
)
from transformer.layers.multi_head_attention import MultiHeadAttention
from transformer.layers.norms import (
    NORMS,
    LayerNorm,
    OnePlusRMSNorm,
    RMSNorm,
    layer_norm,
    rms_norm,
)
from transformer.layers.patches import patchify, unpatchify
from transformer.layers.positional import (
    LearnedPositionalEmbedding,
    PositionalEncoding,
    sinusoidal_frequencies,
    sinusoidal_table,
)
from transformer.layers.positions import Positions
from transformer.layers.recurrent_mixer import RecurrentMixer
from transformer.layers.relative import RelativeKeys, RelativePositionBias
from transformer.layers.residual import NoBranch, ResidualConnection
from transformer.layers.rolling_cache import RollingDecoderCache, RollingKVCache
from transformer.layers.rotary import RotaryEmbedding
from transformer.layers.rotary_scaling import (
    SCALINGS,
    ScaledFrequencies,
    linear_scaling,
    llama3_scaling,
    ntk_scaling,
    rotary_frequencies,
    unscaled,
    yarn_scaling,
)
from transformer.layers.rotation import (
    Rotation,
    interleaved_to_half,
    rotate_pairs,
    rotate_phases,
)
from transformer.layers.state_cache import StateCache
from transformer.layers.state_space import Mamba2Mixer, state_space
from transformer.layers.tiles import (
    Partial,
    finish,
    merge,
    partial_attention,
    tiled_attention,
)
from transformer.layers.windowed_attention import WindowedAttention

__all__ = [
    "ACTIVATIONS",
    "FEATURE_MAPS",
    "NORMS",
    "SCALINGS",
    "AttentionOutput",
    "ClampedFeedForward",
    "ConvFeedForward",
    "DecoderCache",
    "GatedFeedForward",
    "GridRotaryEmbedding",
    "GroupedExperts",
    "Int8Linear",
    "KVCache",
    "LatentCache",
    "LayerCache",
    "LayerNorm",
    "LearnedPositionalEmbedding",
    "LinearAttention",
    "LinearOutput",
    "Mamba2Mixer",
    "MixtureOfExperts",
    "MultiHeadAttention",
    "MultiHeadLatentAttention",
    "NoBranch",
    "NormedProjection",
    "OnePlusRMSNorm",
    "Partial",
    "PositionalEncoding",
    "Positions",
    "PositionwiseFeedForward",
    "RMSNorm",
    "RecurrentMixer",
    "RelativeKeys",
    "RelativePositionBias",
    "ResidualConnection",
    "RollingDecoderCache",
    "RollingKVCache",
    "RotaryEmbedding",
    "Rotation",
    "Routing",
    "SandwichConnection",
    "ScaledFrequencies",
    "StateCache",
    "TokenEmbedding",
    "WindowedAttention",
    "alibi_bias",
    "alibi_slopes",
    "causal_mask",
    "chunked_linear_attention",
    "decay_mask",
    "elu_plus_one",
    "finish",
    "gated_width",
    "gelu",
    "gelu_sigmoid",
    "gelu_tanh",
    "get_activation",
    "identity",
    "interleaved_to_half",
    "layer_norm",
    "linear_scaling",
    "llama3_scaling",
    "load_balancing_loss",
    "masked_linear_attention",
    "merge",
    "ntk_scaling",
    "padding_mask",
    "partial_attention",
    "patchify",
    "recurrent_linear_attention",
    "relative_buckets",
    "relative_distances",
    "relu",
    "retention_decays",
    "rms_norm",
    "rotary_frequencies",
    "rotate_pairs",
    "rotate_phases",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "sinusoidal_frequencies",
    "sinusoidal_table",
    "squared_relu",
    "state_space",
    "swish",
    "tanh",
    "tiled_attention",
    "unpatchify",
    "unscaled",
    "window_mask",
    "yarn_scaling",
]
