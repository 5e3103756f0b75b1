"""A printed module shows its sizes and choices."""

import copy

import torch
from torch import nn

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers import (
    LayerNorm,
    MultiHeadAttention,
    RMSNorm,
    RotaryEmbedding,
)
from transformer.models import DecoderOnlyTransformer
from transformer.training import LabelSmoothingLoss


@facts(
    "module, shown",
    [
        (LayerNorm(7), "LayerNorm(d_model=7)"),
        (LayerNorm(7, eps=1e-5), "LayerNorm(d_model=7)"),
        (RMSNorm(d_model=7, eps=1e-3), "RMSNorm(d_model=7, eps=0.001)"),
        (
            RotaryEmbedding(6, layout="interleaved"),
            "RotaryEmbedding(d_head=6, layout='interleaved')",
        ),
    ],
)
def test_what_differs_from_the_defaults_is_shown(module, shown):
    assert repr(module) == repr(copy.deepcopy(module)) == shown


def test_parts_are_shown_once_on_their_own_lines():
    first, second, *_ = repr(MultiHeadAttention(8, 2, rotary=RotaryEmbedding(4))).split(
        "\n"
    )
    assert (first, second) == ("MultiHeadAttention(", "  d_model=8, num_heads=2")


def test_a_subclass_shows_what_it_was_made_with():
    class Wider(LayerNorm):
        def __init__(self, d_model):
            super().__init__(3 * d_model)

    assert repr(Wider(2)) == "Wider(d_model=6)"


def test_a_module_with_a_line_of_its_own_keeps_it():
    assert "smoothing=0.25, ignore_index" in repr(LabelSmoothingLoss(smoothing=0.25))


def test_nothing_is_kept_that_is_a_tensor_or_a_configuration():
    model = DecoderOnlyTransformer(
        TransformerConfig(vocab_size=5, num_encoder_layers=0)
    )
    assert repr(model).startswith("DecoderOnlyTransformer(\n  (embedding)")
    assert not any(
        isinstance(v, torch.Tensor | nn.Module) for v in vars(model).values()
    )
