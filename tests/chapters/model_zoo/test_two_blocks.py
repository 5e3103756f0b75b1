"""The plain blocks of the page equal those of the package, and notice each change."""

from dataclasses import replace

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.model_zoo.two_blocks import block_of_2017, block_of_llama, weights_of
from transformer.blocks import DecoderLayer
from transformer.layers import causal_mask
from transformer.zoo import CONFIGS

SIZES = {"d_model": 24, "d_ff": 14, "num_heads": 6}


def drawn_layer(name, **choices):
    """A layer of the package in float64, each weight away from where it starts."""
    layer = DecoderLayer(replace(CONFIGS[name], **SIZES, **choices)).double().eval()
    generator = torch.Generator().manual_seed(3)
    for parameter in layer.parameters():
        drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        parameter.data = drawn
    return layer


def drawn_input():
    generator = torch.Generator().manual_seed(5)
    return torch.randn(2, 7, 24, generator=generator, dtype=torch.float64)


def largest_difference(layer, block, *heads):
    x = drawn_input()
    with torch.no_grad():
        return (
            (layer(x, mask=causal_mask(7)) - block(x, weights_of(layer), *heads))
            .abs()
            .max()
        )


def test_the_block_of_2017_is_that_of_the_package():
    assert largest_difference(drawn_layer("transformer-base"), block_of_2017, 6) < 1e-9


@facts("kv_heads", [1, 2, 3, 6])
def test_the_block_of_llama_is_that_of_the_package(kv_heads):
    layer = drawn_layer("smollm2-135m", num_kv_heads=kv_heads)
    assert largest_difference(layer, block_of_llama, 6, kv_heads) < 1e-9


@facts(
    "choice",
    [
        {"rotary_layout": "interleaved"},
        {"rotary_base": 10_000.0},
        {"activation": "gelu"},
        {"norm": "rms", "norm_placement": "post"},
        {"norm_eps": 1e-6},
    ],
    ids=str,
)
def test_another_choice_is_noticed_in_the_block_of_llama(choice):
    layer = drawn_layer("smollm2-135m", num_kv_heads=3, **choice)
    assert largest_difference(layer, block_of_llama, 6, 3) > 1e-7


@facts(
    "choice",
    [{"activation": "gelu"}, {"norm_placement": "pre"}, {"norm_eps": 1e-3}],
    ids=str,
)
def test_another_choice_is_noticed_in_the_block_of_2017(choice):
    layer = drawn_layer("transformer-base", **choice)
    assert largest_difference(layer, block_of_2017, 6) > 1e-7


@facts("name", ["transformer-base", "smollm2-135m"])
def test_every_weight_of_a_layer_is_copied_and_none_is_shared(name):
    layer = drawn_layer(name)
    copies = vars(weights_of(layer))
    assert len(copies) == len(list(layer.parameters()))
    query = layer.self_attention.query_projection.weight
    assert_close(copies["q"], query.detach().T)
    query.data += 1
    assert not torch.equal(copies["q"], query.detach().T)
