"""A configuration describes a model, or says why there can be none."""

import copy
import dataclasses
import inspect
import json
from dataclasses import FrozenInstanceError, replace

import jaxtyping
import numpy as np
import pytest

from bookkit.checking.facts import facts
from transformer.blocks.parts import build_rotary
from transformer.config import CHOICES, TransformerConfig
from transformer.models import DecoderOnlyTransformer, Transformer


def test_the_defaults_are_the_base_model_of_2017():
    config = TransformerConfig(vocab_size=37_000)
    sizes = (config.d_model, config.d_ff, config.num_heads, config.head_size)
    assert sizes == (512, 2048, 8, 64)  # Vaswani et al. (2017), Table 3, base
    assert config.num_encoder_layers == config.num_decoder_layers == 6
    assert (config.norm_placement, config.position) == ("post", "sinusoidal")


def test_a_configuration_cannot_be_changed_but_replaced():
    config = TransformerConfig(vocab_size=7)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'd_model'"):
        config.d_model = 16
    assert replace(config, d_model=16, num_heads=2).head_size == 8


def test_copies_are_equal():
    config = TransformerConfig(vocab_size=7, d_model=30, num_heads=6)
    assert copy.deepcopy(config) == copy.copy(config) == config


def test_sizes_of_heads_follow_from_others_unless_given():
    config = TransformerConfig(vocab_size=7, d_model=30, num_heads=6)
    assert (config.head_size, config.kv_heads) == (5, 6)
    config = replace(config, d_head=8, num_kv_heads=2)
    assert (config.head_size, config.kv_heads) == (8, 2)


@facts("position", CHOICES["position"])
@facts("d_model, num_kv_heads", [(10, 3), (2, 1)])
def test_heads_of_their_own_size_need_not_share_the_width(
    position, d_model, num_kv_heads
):
    sizes = {"d_model": d_model, "num_heads": 3, "num_kv_heads": num_kv_heads}
    config = TransformerConfig(vocab_size=7, **sizes, d_head=4, position=position)
    assert (config.head_size, config.kv_heads) == (4, num_kv_heads)


@facts("name", CHOICES)
def test_every_choice_can_be_made(name):
    fitting = {"norm_placement": "pre", "rotary_original_len": 64}
    for choice in CHOICES[name]:
        config = TransformerConfig(vocab_size=7, **{**fitting, name: choice})
        assert getattr(config, name) == choice


@facts("name", CHOICES)
def test_no_choice_can_be_none(name, refuses):
    refuses(
        lambda: TransformerConfig(vocab_size=7, **{name: None}),
        ValueError,
        f"{name} must be one of .*, got None",
    )


ALONE = {"num_encoder_layers": 0}  # a decoder, which may have windows
EXPERTS = {**ALONE, "num_experts": 4, "gated": True}
SIGMOIDS = {**EXPERTS, "router": "sigmoid"}
LATENT = {**ALONE, "position": "rotary", "d_latent": 8, "d_rotary": 4}
BAD_INPUTS = {
    ValueError: {
        "vocab_size.*at least 1.*got 0": {"vocab_size": 0},
        "d_model.*at most 9223372036854775807.*got one of 64 bits": {"d_model": 2**63},
        "max_len.*got one of 33220 bits": {"max_len": 10**10_000},
        "rotary_base.*above 0.*got one of 1329 bits": {"rotary_base": 10**400},
        "dropout.*at least 0.*below 1.*got one of 1329": {"dropout": 10**400},
        "d_ff.*at least 1.*got one of 33220 bits": {"d_ff": -(10**10_000)},
        "d_model.*at least 1.*got -8": {"d_model": -8},
        "max_len.*at least 1.*got 0": {"max_len": 0},
        "num_heads.*at least 1.*got 0": {"num_heads": 0},
        "num_kv_heads.*at least 1.*got 0": {"num_kv_heads": 0},
        "num_encoder_layers.*at least 0.*got -1": {"num_encoder_layers": -1},
        "a Transformer.*got num_encoder_layers=0 and num_decoder_layers=0; set": {
            "num_encoder_layers": 0,
            "num_decoder_layers": 0,
        },
        "num_heads.*got d_model=512 and num_heads=7": {"num_heads": 7},
        "num_kv_heads.*got num_heads=8 and num_kv_heads=3": {"num_kv_heads": 3},
        "position.*got 'rotery' .did you": {"position": "rotery"},
        r"position.*got \['rotary'\]": {"position": ["rotary"]},
        "norm.*got 'batch'": {"norm": "batch"},
        "norm_placement.*got 'mid'": {"norm_placement": "mid"},
        "activation.*got 'swiglu'": {"activation": "swiglu"},
        "rotary_layout.*got 'pairs'": {"rotary_layout": "pairs"},
        "attention_dropout.*at least 0.*below 1.*got 1.0": {"attention_dropout": 1.0},
        "norm_eps.*above 0.*got 0": {"norm_eps": 0.0},
        "pad_id.*below vocab_size=7.*got 7; pass": {"pad_id": 7},
        "pad_id.*at least 0.*got -1": {"pad_id": -1},
        "parallel_residual=True.*'pre' for norm_placement, got 'post'": {
            "parallel_residual": True
        },
        "scale_tied_logits=True.*True for tie_embeddings, got False": {
            "scale_tied_logits": True,
            "tie_embeddings": False,
        },
        "num_segments=2.*0 for num_decoder_layers, got 6": {"num_segments": 2},
        "window.*at least 1.*got 0": {**ALONE, "window": 0},
        "each window.*at least 1.*got -3": {**ALONE, "window": (4, -3)},
        r"window.*got none; leave it out": {**ALONE, "window": ()},
        "window=4.*0 for num_encoder_layers, got 6": {"window": 4},
        "window=4.*False for has_states, got True": {
            **ALONE,
            "position": "none",
            "mixers": "delta",
            "window": 4,
        },
        "sink_tokens=4.*a value for window, got None": {**ALONE, "sink_tokens": 4},
        "sink_tokens.*at least 0.*got -1": {**ALONE, "window": 4, "sink_tokens": -1},
        "local_rotary_base=50.0.*a value for window": {
            **ALONE,
            "position": "rotary",
            "local_rotary_base": 50.0,
        },
        "local_rotary_base=50.0.*'rotary' for position": {
            **ALONE,
            "position": "alibi",
            "window": 4,
            "local_rotary_base": 50.0,
        },
        "sink tokens.*got position='alibi'; choose one of rotary": {
            **ALONE,
            "position": "alibi",
            "window": 4,
            "sink_tokens": 1,
        },
        "norm_branches=True.*'pre' for norm_placement": {"norm_branches": True},
        "gate_limit=7.0.*True for gated": {"gate_limit": 7.0},
        "d_expert=5.*a value for num_experts, got 0": {"d_expert": 5},
        "dense_layers=1.*a value for num_experts": {"dense_layers": 1},
        "shared_experts=1.*a value for num_experts": {"shared_experts": 1},
        "num_experts=4.*True for gated, got False": {
            **EXPERTS,
            "gated": False,
        },
        "num_experts=4.*True for feed_forward": {
            **EXPERTS,
            "feed_forward": False,
        },
        "num_experts=4.*0 for num_encoder_layers": {
            **EXPERTS,
            "num_encoder_layers": 6,
        },
        "shared_experts=1.*'sigmoid' for router": {
            **EXPERTS,
            "shared_experts": 1,
        },
        "expert_scale=2.5.*'sigmoid' for router": {
            **EXPERTS,
            "expert_scale": 2.5,
        },
        "experts_per_token must be at most.*got experts_per_token=5": {
            **EXPERTS,
            "experts_per_token": 5,
        },
        "num_experts.*at least 0.*got -1": {**EXPERTS, "num_experts": -1},
        "d_value=5.*a value for d_latent": {"d_value": 5},
        "d_latent=8.*'rotary' for position, got 'none'": {
            **LATENT,
            "position": "none",
        },
        "d_latent=8.*a value for d_rotary": {
            **LATENT,
            "d_rotary": None,
        },
        "d_latent=8.*None for window, got 3": {
            **LATENT,
            "window": 3,
        },
        "d_latent=8.*None for num_kv_heads, got 4": {
            **LATENT,
            "num_kv_heads": 4,
        },
        "d_latent=8.*0 for num_encoder_layers, got 6": {
            **LATENT,
            "num_encoder_layers": 6,
        },
        "gain_from_one=True.*'rms' for norm, got 'layer'": {"gain_from_one": True},
    },
    TypeError: {
        r"d_ff.*got 2.5 \(float\)": {"d_ff": 2.5},
        "d_model.*got None": {"d_model": None},
        r"gated.*got 1 \(int\)": {"gated": 1},
        "norm_eps must be a number": {"norm_eps": "1e-5"},
        r"window.*got '4096' \(str\)": {**ALONE, "window": "4096"},
        r"each window.*got 2.5 \(float\)": {**ALONE, "window": [2.5]},
    },
}


# What the layers themselves refuse: there is no model of such a configuration.
UNBUILDABLE = {
    "d_model.*got 21": {"d_model": 21, "num_heads": 3},
    r"round\(fraction \* d_head\).*got 5": {
        "position": "rotary",
        "d_model": 30,
        "num_heads": 6,
    },
    r"round\(fraction \* d_head\).*at least 2.*got 0": {
        "position": "rotary",
        "rotary_fraction": 0.001,
    },
    "fraction.*at most 1.*got 1.5": {
        "position": "rotary",
        "rotary_fraction": 1.5,
    },
    "base.*above 1.*got 1": {"position": "rotary", "rotary_base": 1.0},
    "factor.*at least 1.*got 0.5": {
        "position": "rotary",
        "rotary_scaling": "linear",
        "rotary_factor": 0.5,
    },
    "factor.*1 without scaling.*got 2.0": {
        "position": "rotary",
        "rotary_factor": 2.0,
    },
    "original_max_len.*got None": {
        "position": "rotary",
        "rotary_scaling": "yarn",
        "rotary_factor": 2.0,
    },
    "the number of frequencies.*at least 2.*got 1": {
        "position": "rotary",
        "rotary_scaling": "yarn",
        "rotary_fraction": 1 / 32,
        "rotary_factor": 2.0,
        "rotary_original_len": 64,
    },
    "num_buckets.*even.*got 7": {
        "position": "relative",
        "relative_buckets": 7,
    },
    "num_buckets.*at least 4.*got 2": {
        "position": "relative",
        "relative_buckets": 2,
    },
    "max_distance.*at least 17.*got 16": {
        "position": "relative",
        "relative_max_distance": 16,
    },
    "num_experts.*num_groups=3": {**SIGMOIDS, "expert_groups": 3},
    "a position must find experts_per_token=3.*got 1 of 2": {
        **SIGMOIDS,
        "expert_groups": 2,
        "experts_per_token": 3,
    },
    r"round\(fraction \* d_head\).*got 3": {
        **LATENT,
        "d_rotary": 3,
    },
}


@facts(
    "error, words, fields",
    [(error, *row) for error, rows in BAD_INPUTS.items() for row in rows.items()],
    ids=[words for rows in BAD_INPUTS.values() for words in rows],
)
def test_contradictions_are_refused_with_what_to_do(error, words, fields, refuses):
    refuses(lambda: TransformerConfig(**{"vocab_size": 7} | fields), error, words)


@facts("words, fields", UNBUILDABLE.items(), ids=[*UNBUILDABLE])
def test_what_a_layer_refuses_is_refused_when_the_model_is_built(
    words, fields, refuses
):
    config = TransformerConfig(vocab_size=7, **{"num_decoder_layers": 1} | fields)
    kind = Transformer if config.num_encoder_layers else DecoderOnlyTransformer
    refuses(lambda: kind(config), (TypeError, ValueError), words)


def test_a_configuration_shows_what_differs_from_the_defaults():
    config = TransformerConfig(vocab_size=11, num_heads=4, norm="layer", d_head=7)
    shown = "TransformerConfig(vocab_size=11, num_heads=4, d_head=7)"
    assert repr(config) == shown


SWITCHES = [f for f in dataclasses.fields(TransformerConfig) if f.type is bool]
# The other side of each switch, and numbers that Python takes for false.
TURNED = [{f.name: not f.default} for f in SWITCHES]
TURNED += [{name: 0} for name in ("num_encoder_layers", "num_decoder_layers", "pad_id")]


@facts("fields", TURNED, ids=str)
def test_what_a_configuration_shows_makes_the_same_one(fields):
    config = TransformerConfig(
        vocab_size=11, norm_placement="pre", norm="rms", **fields
    )
    assert eval(repr(config)) == config


@facts(
    "wrong, error, message",
    [
        (
            {"norm": "layer_norm"},
            ValueError,
            ".*, got 'layer_norm' .did you mean 'layer'",
        ),
        ({"norm": "x"}, ValueError, ".*, got 'x'; choose one of them"),
    ],
)
def test_a_similar_name_is_offered(wrong, error, message, refuses):
    refuses(lambda: TransformerConfig(vocab_size=11, **wrong), error, message)


def test_the_signature_tells_every_field():
    names = list(inspect.signature(TransformerConfig).parameters)
    assert names == [field.name for field in dataclasses.fields(TransformerConfig)]


def test_a_whole_number_of_numpy_is_one(refuses, monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    config = TransformerConfig(
        vocab_size=np.int64(7), d_model=np.int32(16), num_heads=2
    )
    assert config == TransformerConfig(vocab_size=7, d_model=16, num_heads=2)
    assert json.loads(json.dumps(dataclasses.asdict(config)))["vocab_size"] == 7
    refuses(
        lambda: TransformerConfig(vocab_size=np.bool_(True)), TypeError, "vocab_size"
    )
    refuses(
        lambda: TransformerConfig(vocab_size=np.float64(7)), TypeError, "vocab_size"
    )


def test_any_number_of_numpy_is_one(refuses, monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    config = TransformerConfig(
        vocab_size=7, dropout=np.float32(0.25), norm_eps=np.float32(0.5)
    )
    assert config == TransformerConfig(vocab_size=7, dropout=0.25, norm_eps=0.5)
    kept = json.loads(json.dumps(dataclasses.asdict(config)))
    assert (kept["dropout"], kept["norm_eps"]) == (0.25, 0.5)
    for wrong in (np.float32("nan"), np.float32("inf"), np.float32(0)):
        refuses(
            lambda wrong=wrong: TransformerConfig(vocab_size=7, norm_eps=wrong),
            ValueError,
            "norm_eps",
        )


def test_the_magnitude_of_a_rotation_is_a_number_above_zero(refuses):
    config = TransformerConfig(vocab_size=7, position="rotary", rotary_magnitude=1.5)
    assert build_rotary(config).magnitude == 1.5
    for value in (0.0, -1.0, "1"):
        refuses(
            lambda value=value: TransformerConfig(vocab_size=7, rotary_magnitude=value),
            (TypeError, ValueError),
            "rotary_magnitude",
        )


def test_one_stack_alone_needs_no_word_of_the_other():
    decoder = TransformerConfig.decoder_only(vocab_size=7, d_model=16)
    assert decoder == TransformerConfig(vocab_size=7, d_model=16, num_encoder_layers=0)
    encoder = TransformerConfig.encoder_only(vocab_size=7)
    assert encoder == TransformerConfig(vocab_size=7, num_decoder_layers=0)


LOCAL = {
    "window": (3, 5, None),
    "sink_tokens": 2,
    "position": "rotary",
    "rotary_base": 500.0,
    "rotary_scaling": "yarn",
    "rotary_factor": 2.0,
    "rotary_original_len": 64,
    "rotary_magnitude": 1.5,
}


def test_layers_have_their_windows_in_turn():
    config = TransformerConfig.decoder_only(vocab_size=7, num_decoder_layers=5, **LOCAL)
    assert [config.window_of(n) for n in range(5)] == [3, 5, None, 3, 5]
    layers = [config.of_layer(n) for n in range(5)]
    assert [layer.window for layer in layers] == [3, 5, None, 3, 5]
    assert [layer.sink_tokens for layer in layers] == [2, 2, 0, 2, 2]
    assert {layer.rotary_base for layer in layers} == {500.0}
    assert {layer.rotary_scaling for layer in layers} == {"yarn"}


def test_layers_with_a_window_may_turn_by_a_base_of_their_own_and_are_not_stretched():
    config = TransformerConfig.decoder_only(
        vocab_size=7, local_rotary_base=50.0, **LOCAL
    )
    near, far = config.of_layer(0), config.of_layer(2)
    assert (near.rotary_base, far.rotary_base) == (50.0, 500.0)
    assert (near.rotary_scaling, far.rotary_scaling) == ("none", "yarn")
    assert (near.rotary_factor, far.rotary_factor) == (1.0, 2.0)
    assert (near.rotary_magnitude, far.rotary_magnitude) == (None, 1.5)
    assert near.of_layer(1) == near


def test_a_configuration_without_windows_is_that_of_each_of_its_layers():
    config = TransformerConfig(vocab_size=7)
    assert config.of_layer(3) is config
    assert config.window_of(3) is None


@facts("window", [5, (5, None), [5, 3]], ids=str)
def test_windows_are_stored_as_json_can_hold_them(window):
    config = TransformerConfig.decoder_only(vocab_size=7, window=window)
    stored = json.loads(json.dumps(dataclasses.asdict(config)))
    assert TransformerConfig(**stored) == config
    assert hash(config) == hash(TransformerConfig(**stored))
    assert eval(repr(config)) == config


def test_dense_layers_have_no_experts():
    config = TransformerConfig(
        vocab_size=7, **SIGMOIDS, dense_layers=2, shared_experts=1, d_expert=5
    )
    found = [config.of_layer(n).num_experts for n in range(6)]
    assert found == [0, 0, 4, 4, 4, 4]
    assert config.of_layer(3).d_expert == 5
    assert config.of_layer(0).d_expert is None


def test_a_cache_has_the_sizes_of_the_attention():
    config = TransformerConfig(vocab_size=7, num_kv_heads=2)
    assert config.cached_sizes == {"num_kv_heads": 2, "d_head": 64}
    latent = TransformerConfig(vocab_size=7, **LATENT).cached_sizes
    assert latent == {"num_kv_heads": 1, "d_head": 8, "d_value": 4}
