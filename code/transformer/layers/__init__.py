"""The leaves of the model: plain numbers in, tensors out."""

from transformer.layers.attention import (
    AttentionOutput,
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from transformer.layers.embeddings import TokenEmbedding
from transformer.layers.masks import causal_mask, padding_mask
from transformer.layers.positional import (
    LearnedPositionalEmbedding,
    PositionalEncoding,
    sinusoidal_frequencies,
    sinusoidal_table,
)

__all__ = [
    "AttentionOutput",
    "LearnedPositionalEmbedding",
    "MultiHeadAttention",
    "PositionalEncoding",
    "TokenEmbedding",
    "causal_mask",
    "padding_mask",
    "scaled_dot_product_attention",
    "sinusoidal_frequencies",
    "sinusoidal_table",
]
