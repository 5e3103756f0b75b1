"""T5 equals the reference, in its first version and in 1.1, tied or not."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import nn
from torch.testing import assert_close
from transformers import T5Config, T5ForConditionalGeneration, T5Model
from transformers.activations import ACT2FN

from bookkit.checking.facts import facts
from transformer.layers import ACTIVATIONS
from transformer.models import Transformer
from transformer.zoo import t5

VERSIONS = {
    "1.0": {},
    "1.1": {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    "gated silu": {"feed_forward_proj": "gated-silu"},
    "one layer against three": {"num_layers": 1, "num_decoder_layers": 3},
}
# The reference computes the mean square of its norm in float32, whatever it is given.
FLOAT32_STEP = 1e-6


def tiny(**choices):
    sizes = {"d_model": 20, "d_kv": 6, "d_ff": 28, "num_layers": 2, "num_heads": 4}
    distances = {
        "relative_attention_num_buckets": 8,
        "relative_attention_max_distance": 9,
    }
    return T5Config(vocab_size=23, **sizes | distances | choices)


def untie(model):
    """Give a reference output weights of its own, as version 1.1 is published."""
    model.lm_head.weight = nn.Parameter(torch.randn_like(model.lm_head.weight))
    return model


@pytest.mark.parametrize("choices", VERSIONS.values(), ids=VERSIONS)
def test_logits_and_gradients_equal_the_exact_reference(
    choices, pair, reference, exact, assert_parity, dtype, tolerance
):
    theirs = exact(reference(T5ForConditionalGeneration, tiny(**choices), dtype))
    ours = t5.from_hugging_face(theirs)
    layout = t5.layout(ours.config)
    assert_parity(ours, theirs, pair, layout, tolerance)


def test_separate_output_weights_equal_the_exact_reference(
    pair, reference, exact, assert_parity, dtype, tolerance
):
    config = tiny(**VERSIONS["1.1"])
    theirs = exact(untie(reference(T5ForConditionalGeneration, config, dtype)))
    ours = t5.from_hugging_face(theirs)
    assert not ours.config.tie_embeddings
    layout = t5.layout(ours.config)
    assert_parity(ours, theirs, pair, layout, tolerance)


def test_the_reference_as_it_is_differs_by_its_float32_steps_only(
    pair, reference, assert_parity, dtype
):
    theirs = reference(T5ForConditionalGeneration, tiny(), dtype)
    ours = t5.from_hugging_face(theirs)
    tolerance = FLOAT32_STEP if dtype == torch.float64 else 1e-5
    layout = t5.layout(ours.config)
    assert_parity(ours, theirs, pair, layout, tolerance)


@facts("version", ["1.0", "1.1"])
def test_with_a_cache_each_step_equals_the_reference(
    version,
    batch,
    pair,
    reference,
    exact,
    dtype,
    tolerance,
    assert_same_translation_steps,
):
    config = tiny(**VERSIONS[version])
    theirs = exact(reference(T5ForConditionalGeneration, config, dtype))
    ours = t5.from_hugging_face(theirs)
    assert_same_translation_steps(ours, theirs, batch, pair, tolerance)


def test_bfloat16(pair, reference, assert_bfloat16):
    theirs = reference(T5ForConditionalGeneration, tiny(), torch.bfloat16)
    ours = t5.from_hugging_face(theirs)
    assert_bfloat16(ours, theirs, pair)


def test_a_configuration_file_unties_what_the_object_no_longer_does():
    written = tiny(**VERSIONS["1.1"])
    file = written.to_dict() | {"tie_word_embeddings": False}
    del file["scale_decoder_outputs"]
    tied, untied = map(t5.config_from_hugging_face, (written, file))
    assert (tied.tie_embeddings, tied.scale_tied_logits) == (True, False)
    assert untied == replace(tied, tie_embeddings=False)


def test_a_published_file_loads_with_a_bias_that_nobody_uses(reference):
    theirs = reference(T5ForConditionalGeneration, tiny())
    stored = theirs.state_dict()
    name = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    stored[name] = torch.ones(8, 4)
    ours = t5.from_hugging_face(stored, config=theirs.config)
    assert torch.equal(ours.decoder.norm.weight, theirs.decoder.final_layer_norm.weight)


def test_a_model_without_head_loads_because_the_head_is_tied(reference):
    theirs = reference(T5Model, tiny())
    ours = t5.from_hugging_face(theirs)
    assert torch.equal(ours.head.projection.weight, theirs.shared.weight)


@facts(
    "name, count",
    [
        ("t5-small", 60_506_624),
        ("t5-base", 222_903_552),
        ("t5-large", 737_668_096),
        ("t5-v1_1-small", 76_961_152),
        ("t5-v1_1-base", 247_577_856),
    ],
)
def test_presets_have_the_published_number_of_parameters(name, count, count_on_meta):
    build = partial(Transformer, t5.CONFIGS[name])
    assert count_on_meta(build) == count


FIRST = {
    "model_type": "t5",
    "is_encoder_decoder": True,
    "vocab_size": 32_128,
    "d_kv": 64,
    "dropout_rate": 0.1,
    "layer_norm_epsilon": 1e-6,
    "n_positions": 512,
    "relative_attention_num_buckets": 32,
}
SECOND = FIRST | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}


@facts(
    "name, published, width, inner, layers, heads",
    [
        ("t5-small", FIRST, 512, 2048, 6, 8),
        ("t5-base", FIRST, 768, 3072, 12, 12),
        ("t5-large", FIRST, 1024, 4096, 24, 16),
        ("t5-v1_1-small", SECOND, 512, 1024, 8, 6),
        ("t5-v1_1-base", SECOND, 768, 2048, 12, 12),
    ],
)
def test_presets_are_what_the_published_configurations_say(
    name, published, width, inner, layers, heads
):
    sizes = {"d_model": width, "d_ff": inner, "num_layers": layers, "num_heads": heads}
    assert t5.config_from_hugging_face(published | sizes) == t5.CONFIGS[name]


@facts("gate", ["", "gated-"])
@facts("name", ["relu", "gelu", "gelu_new", "silu"])
def test_a_network_bends_as_the_reference_says(name, gate):
    theirs = tiny(feed_forward_proj=gate + name)
    ours = t5.config_from_hugging_face(theirs)
    x = torch.linspace(-5, 5, 101, dtype=torch.float64)
    found, expected = ACTIVATIONS[ours.activation](x), ACT2FN[theirs.dense_act_fn](x)
    assert ours.gated is theirs.is_gated_act
    assert_close(found, expected, rtol=0, atol=1e-11)


def test_each_field_is_read():
    config = tiny(
        num_decoder_layers=3,
        feed_forward_proj="silu",
        dropout_rate=0.2,
        layer_norm_epsilon=1e-3,
    )
    ours = t5.config_from_hugging_face(config.to_dict() | {"n_positions": 17})
    assert ours == t5.preset(
        vocab_size=23,
        max_len=17,
        num_encoder_layers=2,
        num_decoder_layers=3,
        d_model=20,
        d_ff=28,
        num_heads=4,
        d_head=6,
        activation="silu",
        relative_buckets=8,
        relative_max_distance=9,
        norm_eps=1e-3,
        dropout=0.2,
        attention_dropout=0.2,
        activation_dropout=0.2,
    )


BAD_INPUTS = {
    "a head that should be tied": (
        lambda: t5.from_hugging_face(untie(T5ForConditionalGeneration(tiny()))),
        ValueError,
        r"the tensors (?s:.*)different \(1\): lm_head.weight.*tied to shared.weight",
    ),
    "a head that is no tensor": (
        lambda: t5.from_hugging_face(
            T5ForConditionalGeneration(tiny(**VERSIONS["1.1"])).state_dict()
            | {"lm_head.weight": [0.0]},
            config=tiny(**VERSIONS["1.1"]),
        ),
        ValueError,
        r"the tensors must (?s:.*)wrong \(1\): lm_head.weight: list, not a tensor",
    ),
    "an encoder alone": (
        lambda: t5.config_from_hugging_face(FIRST | {"is_encoder_decoder": False}),
        ValueError,
        "the configuration.*got is_encoder_decoder=False instead of True",
    ),
    "an unknown gate": (
        lambda: t5.config_from_hugging_face(FIRST | {"feed_forward_proj": "half-gelu"}),
        ValueError,
        "the configuration.*got feed_forward_proj='half' instead of '' or 'gated'",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
