"""Each choice of a configuration is an entry of a dictionary of the package."""

from dataclasses import replace
from functools import partial

import torch
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.blocks import Decoder, Encoder, InputEmbedding
from transformer.blocks.inputs import POSITION_AT_INPUT
from transformer.blocks.parts import (
    POSITION_IN_ATTENTION,
    POSITION_IN_STACK,
    build_attention,
    build_feed_forward,
    build_final_norm,
    build_position_bias,
    build_residual,
    build_self_attention,
)
from transformer.config import CHOICES, TransformerConfig
from transformer.layers.activations import ACTIVATIONS
from transformer.layers.initialization import INITIALIZATIONS
from transformer.layers.norms import NORMS
from transformer.layers.rotary_scaling import SCALINGS
from transformer.layers.rotation import PARTNERS

CONFIG = TransformerConfig(vocab_size=7, d_model=12, d_ff=5, num_heads=3)


@facts(
    "name, entries",
    [
        ("activation", ACTIVATIONS),
        ("norm", NORMS),
        ("rotary_layout", PARTNERS),
        ("rotary_scaling", SCALINGS),
        ("initialization", INITIALIZATIONS),
    ],
)
def test_what_can_be_chosen_is_what_there_is(name, entries):
    assert set(CHOICES[name]) == set(entries)


def test_every_kind_of_position_has_one_place_where_it_acts():
    places = [*POSITION_AT_INPUT, *POSITION_IN_ATTENTION, *POSITION_IN_STACK, "none"]
    assert sorted(places) == sorted(CHOICES["position"])


@facts("name", CHOICES["position"])
def test_cross_attention_knows_no_positions(name):
    attention = build_attention(replace(CONFIG, position=name))
    assert attention.rotary is None
    assert attention.relative_keys is None


def test_attention_gets_its_sizes_and_its_scale():
    config = replace(CONFIG, num_kv_heads=1, d_head=8, scale_attention=False)
    attention = build_self_attention(config)
    assert attention.scale == 1
    assert attention.num_kv_heads == 1
    assert attention.key_projection.weight.shape == (8, 12)
    assert attention.query_projection.bias is None
    assert build_self_attention(CONFIG).scale == 4**-0.5


def test_constants_reach_the_leaves():
    config = replace(
        CONFIG,
        norm="rms",
        norm_eps=1e-3,
        dropout=0.1,
        attention_dropout=0.2,
        position="relative",
        relative_buckets=8,
        relative_max_distance=9,
    )
    assert build_residual(config).norm.eps == 1e-3
    assert build_residual(config).dropout.p == 0.1
    assert build_self_attention(config).dropout == 0.2
    bias = build_position_bias(config, bidirectional=True)
    assert bias.embedding.weight.shape == (8, 3)
    assert bias.max_distance == 9


@facts("gated", [False, True])
def test_both_kinds_of_network_get_what_is_said_of_them(gated):
    choices = {"activation": "silu", "bias": False, "activation_dropout": 0.3}
    network = build_feed_forward(replace(CONFIG, gated=gated, **choices))
    assert hasattr(network, "gate_projection") == gated
    for name, projection in network.named_children():
        if name.endswith("projection"):
            assert sorted(projection.weight.shape) == [5, 12]
            assert projection.bias is None
    assert network.activation is ACTIVATIONS["silu"]
    assert network.dropout.p == 0.3


NORMED = {
    "a branch, before": lambda config: partial(
        build_residual(replace(config, norm_placement="pre")).change,
        sublayer=nn.Identity(),
    ),
    "a branch, after": lambda config: partial(
        build_residual(config), sublayer=torch.zeros_like
    ),
    "the end of an encoder": lambda config: Encoder(config).norm,
    "the end of a decoder": lambda config: Decoder(config).norm,
    "the input": lambda config: InputEmbedding(config).norm,
}


@facts("norm", NORMS)
@facts("eps", [1e-3, 1e-12])
@facts("place", NORMED)
def test_every_norm_divides_by_the_root_of_the_variance_and_eps(place, eps, norm):
    choices = {"norm": norm, "norm_eps": eps, "norm_embeddings": True}
    normalize = NORMED[place](replace(CONFIG, final_norm=True, **choices))
    x = 0.01 * torch.tensor([1.0, -1.0]).repeat(6).expand(2, 5, 12)  # of variance 1e-4
    assert_close(normalize(x), x / (1e-4 + eps) ** 0.5)


def test_rotation_gets_its_numbers():
    config = replace(
        CONFIG, position="rotary", rotary_fraction=0.5, rotary_layout="interleaved"
    )
    rotary = build_self_attention(config).rotary
    assert (rotary.d_rotary, rotary.layout) == (2, "interleaved")


def test_a_stack_ends_in_a_norm_only_if_asked_to():
    assert not list(build_final_norm(CONFIG).parameters())
    assert (
        len(list(build_final_norm(replace(CONFIG, final_norm=True)).parameters())) == 2
    )
