"""Llama equals the reference, with grouped heads and each scaling of rotation."""

from functools import partial

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    LlamaModel,
    MistralConfig,
    MistralForCausalLM,
)

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import llama

SIZES = {
    "vocab_size": 23,
    "hidden_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 28,
    "max_position_embeddings": 13,
    "head_dim": 6,
    "bos_token_id": 1,
    "eos_token_id": 1,
}
VARIANTS = {
    "multi-head": {},
    "grouped heads": {"num_key_value_heads": 2},
    "one key head": {"num_key_value_heads": 1},
    "tied, with biases": {
        "tie_word_embeddings": True,
        "attention_bias": True,
        "mlp_bias": True,
    },
    "another base": {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}},
}
SCALED = {"original_max_position_embeddings": 8, "factor": 4.0, "rope_theta": 100.0}
SCALINGS = {
    "linear": {"rope_type": "linear", **SCALED},
    "llama3": {
        "rope_type": "llama3",
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        **SCALED,
    },
    "yarn": {"rope_type": "yarn", **SCALED},
}
# The reference computes angles and norms in float32, whatever it is given.
FLOAT32_STEP = 1e-6


def tiny(**choices):
    return LlamaConfig(**SIZES | choices)


@facts("choices", VARIANTS.values(), ids=[*VARIANTS])
def test_logits_and_gradients_equal_the_exact_reference(
    choices, padded, reference, exact, assert_parity, dtype, tolerance
):
    theirs = exact(reference(LlamaForCausalLM, tiny(**choices), dtype))
    ours = llama.from_hugging_face(theirs)
    layout = llama.layout(ours.config)
    assert_parity(ours, theirs, padded, layout, tolerance)


@facts("rope", [*SCALINGS.values(), None], ids=[*SCALINGS, "none"])
def test_the_reference_as_it_is_differs_by_its_float32_steps_only(
    rope, batch, reference, assert_parity, dtype
):
    theirs = reference(LlamaForCausalLM, tiny(rope_parameters=rope), dtype)
    ours = llama.from_hugging_face(theirs)
    tolerance = FLOAT32_STEP if dtype == torch.float64 else 1e-5
    layout = llama.layout(ours.config)
    assert_parity(ours, theirs, batch, layout, tolerance)


@facts("kv_heads", [4, 2, 1])
def test_with_a_cache_each_step_equals_the_reference(
    kv_heads, padded, reference, exact, dtype, tolerance, assert_same_steps
):
    config = tiny(num_key_value_heads=kv_heads)
    theirs = exact(reference(LlamaForCausalLM, config, dtype))
    ours = llama.from_hugging_face(theirs)
    assert_same_steps(ours, theirs, padded, tolerance)


def test_bfloat16(batch, reference, assert_bfloat16):
    theirs = reference(LlamaForCausalLM, tiny(num_key_value_heads=2), torch.bfloat16)
    ours = llama.from_hugging_face(theirs)
    assert_bfloat16(ours, theirs, batch)


def test_a_tied_model_loads_without_its_head_but_not_with_another(reference, refuses):
    theirs = reference(LlamaForCausalLM, tiny(tie_word_embeddings=True))
    ours = llama.from_hugging_face(theirs.model)
    assert torch.equal(ours.head.projection.weight, theirs.lm_head.weight)
    other = theirs.state_dict() | {"lm_head.weight": torch.ones(23, 20)}
    refuses(
        lambda: llama.from_hugging_face(other, config=theirs.config),
        ValueError,
        r"the tensors (?s:.*)different \(1\): lm_head.weight.*tied to embed_tokens.w",
    )


@facts("kv_heads", [4, 2])
def test_mistral_without_a_window_is_a_llama(kv_heads, batch, reference, assert_parity):
    config = MistralConfig(**SIZES, num_key_value_heads=kv_heads, sliding_window=None)
    theirs = reference(MistralForCausalLM, config)
    ours = llama.from_hugging_face(theirs)
    assert ours.config.window is None
    assert_parity(ours, theirs, batch, llama.layout(ours.config), 1e-5)


def mistral(window):
    return MistralConfig(**SIZES, num_key_value_heads=2, sliding_window=window)


@facts("window", [1, 3, 12])
def test_the_window_of_mistral_equals_the_exact_reference(
    window, padded, reference, exact, assert_parity, dtype, tolerance
):
    theirs = exact(reference(MistralForCausalLM, mistral(window), dtype))
    ours = llama.from_hugging_face(theirs)
    assert ours.config.window == window
    assert_parity(ours, theirs, padded, llama.layout(ours.config), tolerance)


# With a window of 1 the cache of the reference keeps everything: its slice is -0.
@facts("window", [2, 3, 12])
def test_with_a_rolling_cache_each_step_equals_the_reference(
    window, padded, reference, exact, dtype, tolerance, assert_same_steps
):
    theirs = exact(reference(MistralForCausalLM, mistral(window), dtype))
    assert_same_steps(llama.from_hugging_face(theirs), theirs, padded, tolerance)


def test_without_a_word_of_a_window_mistral_has_that_of_its_paper():
    config = mistral(3).to_dict()
    del config["sliding_window"]
    assert llama.config_from_hugging_face(config).window == 4096


def test_older_configurations_mean_the_same():
    newer = tiny(rope_parameters=SCALINGS["llama3"]).to_dict()
    rope = newer.pop("rope_parameters")
    theta, kind = rope.pop("rope_theta"), rope.pop("rope_type")
    older = newer | {"rope_theta": theta, "rope_scaling": {"type": kind, **rope}}
    converted = llama.config_from_hugging_face(older)
    assert converted.rotary_scaling == "llama3"
    assert converted.rotary_base == 100.0
    assert converted == llama.config_from_hugging_face(
        tiny(rope_parameters=SCALINGS["llama3"])
    )


@facts(
    "name, count",
    [
        ("llama-2-7b", 6_738_415_616),
        ("llama-2-13b", 13_015_864_320),
        ("llama-2-70b", 68_976_648_192),
        ("llama-3-8b", 8_030_261_248),
        ("llama-3.1-8b", 8_030_261_248),
        ("llama-3.2-1b", 1_235_814_400),
        ("mistral-7b", 7_241_732_096),
    ],
)
def test_presets_have_the_published_number_of_parameters(name, count, count_on_meta):
    build = partial(DecoderOnlyTransformer, llama.CONFIGS[name])
    assert count_on_meta(build) == count


LLAMA_2 = {
    "model_type": "llama",
    "vocab_size": 32_000,
    "hidden_size": 4096,
    "intermediate_size": 11_008,
    "max_position_embeddings": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 32,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "rope_scaling": None,
    "tie_word_embeddings": False,
}
LLAMA_3 = LLAMA_2 | {
    "vocab_size": 128_256,
    "intermediate_size": 14_336,
    "max_position_embeddings": 8192,
    "num_key_value_heads": 8,
    "rope_theta": 500_000.0,
}


def longer(factor):
    """Return what the configuration of a model for 131,072 positions says."""
    rope = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    rope |= {"factor": factor, "original_max_position_embeddings": 8192}
    return {"max_position_embeddings": 131_072, "rope_scaling": rope}


PUBLISHED = {
    "llama-2-7b": LLAMA_2,
    "llama-2-13b": LLAMA_2
    | {
        "hidden_size": 5120,
        "intermediate_size": 13_824,
        "num_attention_heads": 40,
        "num_hidden_layers": 40,
        "num_key_value_heads": 40,
    },
    "llama-2-70b": LLAMA_2
    | {
        "hidden_size": 8192,
        "intermediate_size": 28_672,
        "num_attention_heads": 64,
        "num_hidden_layers": 80,
        "num_key_value_heads": 8,
    },
    "llama-3-8b": LLAMA_3,
    "llama-3.1-8b": LLAMA_3 | longer(8.0),
    "llama-3.2-1b": LLAMA_3
    | longer(32.0)
    | {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "head_dim": 64,
        "tie_word_embeddings": True,
    },
    "mistral-7b": LLAMA_2
    | {
        "model_type": "mistral",
        "sliding_window": 4096,
        "intermediate_size": 14_336,
        "num_key_value_heads": 8,
    },
}


@facts("name, published", PUBLISHED.items())
def test_presets_are_what_the_published_configurations_say(
    name, published, spelled_out
):
    converted = llama.config_from_hugging_face(published)
    assert spelled_out(converted) == spelled_out(llama.CONFIGS[name])


def test_each_field_is_read():
    config = tiny(
        hidden_act="relu",
        num_key_value_heads=2,
        attention_bias=True,
        mlp_bias=True,
        attention_dropout=0.3,
        rms_norm_eps=1e-3,
        rope_parameters=SCALINGS["yarn"],
    )
    assert llama.config_from_hugging_face(config) == llama.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=2,
        d_model=20,
        d_ff=28,
        num_heads=4,
        num_kv_heads=2,
        d_head=6,
        activation="relu",
        bias=True,
        attention_bias=True,
        norm_eps=1e-3,
        attention_dropout=0.3,
        rotary_base=100.0,
        rotary_scaling="yarn",
        rotary_factor=4.0,
        rotary_original_len=8,
    )


@facts(
    "name, value",
    [
        ("low_freq_factor", 2.0),
        ("high_freq_factor", 5.0),
        ("beta_fast", 16.0),
        ("beta_slow", 2.0),
        ("truncate", 2),
    ],
)
def test_a_rotation_with_other_constants_is_refused(name, value, refuses):
    rope = SCALINGS["yarn"] | {name: value}
    config = tiny().to_dict() | {"rope_parameters": rope}
    refuses(
        lambda: llama.config_from_hugging_face(config),
        ValueError,
        f"the configuration.*got {name}={value} instead of",
    )


def test_without_an_original_length_the_maximal_one_counts():
    rope = {"rope_type": "yarn", "rope_theta": 100.0, "factor": 4.0}
    config = tiny().to_dict() | {"rope_parameters": rope}
    assert llama.config_from_hugging_face(config).rotary_original_len == 13


LINEAR = {"rope_type": "linear"}


def rotated(rotation):
    """A config.json that says this of the rotation."""
    return tiny().to_dict() | {"rope_parameters": rotation}


def test_a_base_that_is_left_open_is_that_of_the_paper():
    config = llama.config_from_hugging_face(
        rotated({"rope_type": "default", "rope_theta": None})
    )
    assert config.rotary_base == 10_000.0


BAD_INPUTS = {
    "a window of nothing": (
        lambda: llama.config_from_hugging_face(mistral(0)),
        ValueError,
        "window must be at least 1, got 0",
    ),
    "layers of several kinds": (
        lambda: llama.config_from_hugging_face(
            mistral(4).to_dict() | {"layer_types": ["full_attention"] * 2}
        ),
        ValueError,
        "the configuration.*got layer_types=.*instead of None.*load another model",
    ),
    "a scaling that depends on the input": (
        lambda: llama.config_from_hugging_face(
            tiny(rope_parameters={"rope_type": "dynamic", **SCALED})
        ),
        ValueError,
        "the configuration.*got rope_type='dynamic' instead of 'default'",
    ),
    "scaling by nothing": (
        lambda: llama.config_from_hugging_face(
            tiny().to_dict() | {"rope_parameters": {"rope_type": "linear"}}
        ),
        ValueError,
        "the configuration.*got rope_type.*pass the whole",
    ),
    "a rotation told by text": (
        lambda: llama.config_from_hugging_face(rotated("yarn")),
        TypeError,
        r"rope_parameters.*got 'yarn' \(str\).*pass one",
    ),
    "an older rotation told by text": (
        lambda: llama.config_from_hugging_face(
            rotated(None) | {"rope_scaling": "linear"}
        ),
        TypeError,
        r"rope_scaling.*got 'linear' \(str\).*pass one",
    ),
    "scaling by None": (
        lambda: llama.config_from_hugging_face(rotated(LINEAR | {"factor": None})),
        TypeError,
        r"factor.*got None \(NoneType\).*pass a float",
    ),
    "scaling by text": (
        lambda: llama.config_from_hugging_face(rotated(LINEAR | {"factor": "a"})),
        TypeError,
        r"factor.*got 'a' \(str\).*pass a float",
    ),
    "a base that is text": (
        lambda: llama.config_from_hugging_face(rotated({"rope_theta": "a"})),
        TypeError,
        r"rope_theta.*got 'a' \(str\).*pass a float",
    ),
    "no head": (
        lambda: llama.from_hugging_face(LlamaModel(tiny())),
        ValueError,
        r"the tensors .*LlamaForCausalLM (?s:.*)missing \(1\): lm_head.weight",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
