"""GPT-NeoX equals the reference, with branches side by side or in a row."""

from functools import partial

import torch
from torch import nn
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM, GPTNeoXModel

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import gpt_neox

VARIANTS = {
    "as published": {},
    "in a row": {"use_parallel_residual": False},
    "without biases": {"attention_bias": False},
    "all rotated": {
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 100.0,
            "partial_rotary_factor": 1.0,
        }
    },
    "tied": {"tie_word_embeddings": True},
}
# The reference computes the angles in float32, whatever it is given.
FLOAT32_STEP = 1e-6


def tiny(**choices):
    return GPTNeoXConfig(
        vocab_size=23,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=28,
        max_position_embeddings=13,
        **choices,
    )


@facts("choices", VARIANTS.values(), ids=[*VARIANTS])
def test_logits_and_gradients_equal_the_exact_reference(
    choices, padded, reference, exact, assert_parity, dtype, tolerance
):
    theirs = exact(reference(GPTNeoXForCausalLM, tiny(**choices), dtype))
    ours = gpt_neox.from_hugging_face(theirs)
    layout = gpt_neox.layout(ours.config)
    assert_parity(ours, theirs, padded, layout, tolerance)


def test_the_reference_as_it_is_differs_by_its_float32_steps_only(
    batch, reference, assert_parity, dtype
):
    theirs = reference(GPTNeoXForCausalLM, tiny(), dtype)
    ours = gpt_neox.from_hugging_face(theirs)
    tolerance = FLOAT32_STEP if dtype == torch.float64 else 1e-5
    layout = gpt_neox.layout(ours.config)
    assert_parity(ours, theirs, batch, layout, tolerance)


def test_with_a_cache_each_step_equals_the_reference(
    padded, reference, exact, dtype, tolerance, assert_same_steps
):
    theirs = exact(reference(GPTNeoXForCausalLM, tiny(), dtype))
    ours = gpt_neox.from_hugging_face(theirs)
    assert_same_steps(ours, theirs, padded, tolerance)


def test_what_a_config_leaves_out_is_as_published():
    fields = tiny().to_dict()
    for name in ("use_parallel_residual", "tie_word_embeddings"):
        fields.pop(name, None)
    config = gpt_neox.config_from_hugging_face(fields)
    assert (config.parallel_residual, config.tie_embeddings) == (True, False)


def test_bfloat16(batch, reference, assert_bfloat16):
    theirs = reference(GPTNeoXForCausalLM, tiny(), torch.bfloat16)
    ours = gpt_neox.from_hugging_face(theirs)
    assert_bfloat16(ours, theirs, batch)


def test_the_blocks_of_a_head_stand_next_to_each_other():
    stored = torch.arange(12.0)  # two heads of two features: q q k k v v, twice
    parts = [gpt_neox.part_of_heads(part, 2).take(stored) for part in range(3)]
    assert [part.tolist() for part in parts] == [
        [0, 1, 6, 7],
        [2, 3, 8, 9],
        [4, 5, 10, 11],
    ]


def test_a_published_file_loads_with_its_older_names(reference):
    theirs = reference(GPTNeoXForCausalLM, tiny())
    stored = theirs.state_dict()
    stored["embed_out.weight"] = stored.pop("lm_head.weight")
    body = "gpt_neox.layers.0.attention."
    stored[f"{body}bias"] = torch.ones(1, 1, 13, 13, dtype=torch.bool).tril()
    stored[f"{body}masked_bias"] = torch.tensor(-1e9)
    stored[f"{body}rotary_emb.inv_freq"] = torch.ones(1)
    older = tiny().to_dict()
    del older["rope_parameters"]
    older |= {"rotary_pct": 0.25, "rotary_emb_base": 10_000}
    ours = gpt_neox.from_hugging_face(stored, config=older)
    assert ours.config == gpt_neox.config_from_hugging_face(tiny())
    assert torch.equal(ours.head.projection.weight, theirs.lm_head.weight)


@facts(
    "name, count",
    [("gpt-neox-20b", 20_554_567_680), ("pythia-160m", 162_322_944)],
)
def test_presets_have_the_published_number_of_parameters(name, count, count_on_meta):
    build = partial(DecoderOnlyTransformer, gpt_neox.CONFIGS[name])
    assert count_on_meta(build) == count


PYTHIA = {
    "model_type": "gpt_neox",
    "vocab_size": 50_304,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "max_position_embeddings": 2048,
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-5,
    "rotary_emb_base": 10_000,
    "rotary_pct": 0.25,
    "tie_word_embeddings": False,
    "use_parallel_residual": True,
}
PUBLISHED = {
    "pythia-160m": PYTHIA,
    "gpt-neox-20b": PYTHIA
    | {
        "vocab_size": 50_432,
        "hidden_size": 6144,
        "intermediate_size": 24_576,
        "num_attention_heads": 64,
        "num_hidden_layers": 44,
        "hidden_act": "gelu_fast",
    },
}


@facts("name, published", PUBLISHED.items())
def test_presets_are_what_the_published_configurations_say(name, published):
    assert gpt_neox.config_from_hugging_face(published) == gpt_neox.CONFIGS[name]


def test_each_field_is_read():
    rope = {"rope_type": "linear", "factor": 3.0, "rope_theta": 100.0}
    config = tiny(
        hidden_act="relu",
        attention_bias=False,
        tie_word_embeddings=True,
        use_parallel_residual=False,
        layer_norm_eps=1e-3,
        hidden_dropout=0.2,
        attention_dropout=0.3,
        rope_parameters=rope | {"partial_rotary_factor": 0.5},
    )
    assert gpt_neox.config_from_hugging_face(config) == gpt_neox.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=2,
        d_model=24,
        d_ff=28,
        num_heads=3,
        activation="relu",
        attention_bias=False,
        tie_embeddings=True,
        parallel_residual=False,
        norm_eps=1e-3,
        dropout=0.2,
        attention_dropout=0.3,
        rotary_base=100.0,
        rotary_fraction=0.5,
        rotary_scaling="linear",
        rotary_factor=3.0,
    )


def test_a_quarter_is_rotated_if_nothing_is_said():
    config = tiny().to_dict() | {"rope_parameters": None}
    assert gpt_neox.config_from_hugging_face(config).rotary_fraction == 0.25


def untied():
    """Return a tied model whose output weights have changed since."""
    model = GPTNeoXForCausalLM(tiny(tie_word_embeddings=True))
    model.lm_head.weight = nn.Parameter(model.lm_head.weight + 1)
    return model


BAD_INPUTS = {
    "another head than the tied one": (
        lambda: gpt_neox.from_hugging_face(untied()),
        ValueError,
        r"the tensors (?s:.*)different \(1\): lm_head.weight.*tied to embed_in.weight",
    ),
    "no head": (
        lambda: gpt_neox.from_hugging_face(GPTNeoXModel(tiny())),
        ValueError,
        r"the tensors .*GPTNeoXForCausalLM (?s:.*)missing \(1\): lm_head.weight",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
