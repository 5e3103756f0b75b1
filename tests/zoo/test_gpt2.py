"""GPT-2 equals the reference, at once and step by step."""

from functools import partial

import torch
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import gpt2


def tiny(**choices):
    sizes = {"n_embd": 20, "n_layer": 2, "n_head": 4, "n_inner": 28, "n_positions": 13}
    without = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    ids = {"bos_token_id": 1, "eos_token_id": 1}
    return GPT2Config(vocab_size=23, **sizes | without | ids | choices)


def test_logits_and_gradients_equal_the_reference(
    padded, reference, assert_parity, dtype, tolerance
):
    theirs = reference(GPT2LMHeadModel, tiny(), dtype)
    ours = gpt2.from_hugging_face(theirs)
    layout = gpt2.layout(ours.config)
    assert_parity(ours, theirs, padded, layout, tolerance)


def test_with_a_cache_each_step_equals_the_reference(
    padded, reference, dtype, tolerance, assert_same_steps
):
    theirs = reference(GPT2LMHeadModel, tiny(), dtype)
    ours = gpt2.from_hugging_face(theirs)
    assert_same_steps(ours, theirs, padded, tolerance)


def test_bfloat16(batch, reference, assert_bfloat16):
    theirs = reference(GPT2LMHeadModel, tiny(), torch.bfloat16)
    ours = gpt2.from_hugging_face(theirs)
    assert_bfloat16(ours, theirs, batch)


def test_a_model_without_head_loads_because_the_head_is_tied(batch, reference, parity):
    theirs = reference(GPT2LMHeadModel, tiny())
    ours = gpt2.from_hugging_face(theirs.transformer)
    found, expected = ours(batch.tokens), theirs(batch.tokens).logits
    parity(ours, theirs).values(found, expected, rtol=1e-5, atol=1e-5)


def test_a_published_file_loads_with_its_causal_masks(reference):
    theirs = reference(GPT2Model, tiny())
    stored = theirs.state_dict()
    stored["h.0.attn.bias"] = torch.ones(1, 1, 13, 13).tril()
    stored["h.1.attn.masked_bias"] = torch.tensor(-1e4)
    ours = gpt2.from_hugging_face(stored, config=theirs.config)
    assert torch.equal(ours.decoder.norm.bias, theirs.ln_f.bias)


@facts(
    "name, count",
    [
        ("gpt2", 124_439_808),
        ("gpt2-medium", 354_823_168),
        ("gpt2-large", 774_030_080),
        ("gpt2-xl", 1_557_611_200),
    ],
)
def test_presets_have_the_published_number_of_parameters(name, count, count_on_meta):
    build = partial(DecoderOnlyTransformer, gpt2.CONFIGS[name])
    assert count_on_meta(build) == count


@facts(
    "name, width, layers, heads",
    [
        ("gpt2", 768, 12, 12),
        ("gpt2-medium", 1024, 24, 16),
        ("gpt2-large", 1280, 36, 20),
        ("gpt2-xl", 1600, 48, 25),
    ],
)
def test_presets_are_what_the_published_configurations_say(name, width, layers, heads):
    published = GPT2Config(n_embd=width, n_layer=layers, n_head=heads)
    assert gpt2.config_from_hugging_face(published) == gpt2.CONFIGS[name]


def test_each_field_is_read():
    config = tiny(
        n_inner=None,
        activation_function="relu",
        attn_pdrop=0.3,
        resid_pdrop=0.2,
        embd_pdrop=0.2,
        layer_norm_epsilon=1e-3,
    )
    assert gpt2.config_from_hugging_face(config) == gpt2.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=2,
        d_model=20,
        d_ff=80,
        num_heads=4,
        activation="relu",
        norm_eps=1e-3,
        dropout=0.2,
        attention_dropout=0.3,
    )


BAD_INPUTS = {
    "scores scaled by depth": (
        lambda: gpt2.config_from_hugging_face(
            tiny(scale_attn_by_inverse_layer_idx=True)
        ),
        ValueError,
        "the configuration.*got scale_attn_by_inverse_layer_idx=True.*load another",
    ),
    "separate output weights": (
        lambda: gpt2.config_from_hugging_face(tiny(tie_word_embeddings=False)),
        ValueError,
        "the configuration.*got tie_word_embeddings=False instead of True",
    ),
    "two probabilities": (
        lambda: gpt2.config_from_hugging_face(tiny(embd_pdrop=0.5)),
        ValueError,
        "the configuration.*got embd_pdrop=0.5 instead of 0.0",
    ),
    "a preset that there is not": (
        lambda: gpt2.from_hugging_face({}, config="gpt3"),
        ValueError,
        "config.*got 'gpt3'",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
