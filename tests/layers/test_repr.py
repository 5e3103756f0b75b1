"""A printed module shows its settings."""

from bookkit.checking.facts import facts
from transformer.layers import (
    LayerNorm,
    MultiHeadAttention,
    ResidualConnection,
    RMSNorm,
    RotaryEmbedding,
)


@facts(
    "module, shown",
    [
        (LayerNorm(7), "LayerNorm(d_model=7, eps=1e-05)"),
        (RMSNorm(7, eps=1e-3), "RMSNorm(d_model=7, eps=0.001)"),
        (
            RotaryEmbedding(6, layout="interleaved"),
            "RotaryEmbedding(d_head=6, d_rotary=6, layout='interleaved')",
        ),
        (MultiHeadAttention(8, 2), "  num_heads=2, num_kv_heads=2, scale=0.5,"),
        (ResidualConnection(LayerNorm(7), placement="pre"), "  placement='pre'"),
    ],
)
def test_a_printed_module_shows_its_settings(module, shown):
    assert shown in repr(module)
