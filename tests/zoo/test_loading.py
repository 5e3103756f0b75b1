"""A model is loaded as a whole, or an error names all that does not fit."""

import re

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.activations import ACT2FN

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers import ACTIVATIONS
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import CONFIGS, FAMILIES, from_hugging_face, gpt2
from transformer.zoo.fields import ACTIVATION_NAMES
from transformer.zoo.loading import load_model

CONFIG = gpt2.preset(
    vocab_size=7, max_len=5, num_decoder_layers=3, d_model=6, d_ff=11, num_heads=2
)


SIZES = {"n_positions": 5, "n_embd": 6, "n_layer": 3, "n_head": 2, "n_inner": 11}
THEIRS = GPT2Config(vocab_size=7, bos_token_id=1, eos_token_id=1, **SIZES)


@pytest.fixture
def stored():
    """The tensors of a reference that `CONFIG` describes."""
    return GPT2LMHeadModel(THEIRS).state_dict()


def damage_missing(stored):
    del stored["transformer.h.1.ln_1.bias"]


def damage_embedding(stored):
    del stored["transformer.wte.weight"]


def damage_surplus(stored):
    stored["transformer.h.3.ln_1.bias"] = torch.zeros(6)


def damage_shape(stored):
    stored["transformer.h.2.mlp.c_fc.weight"] = torch.zeros(11, 6)


def damage_rank(stored):
    stored["transformer.h.0.attn.c_attn.weight"] = torch.zeros(6)


def damage_dtype(stored):
    stored["transformer.wpe.weight"] = stored["transformer.wpe.weight"].double()


def damage_kind(stored):
    stored["transformer.ln_f.weight"] = [1.0] * 6


def damage_device(stored):
    stored["transformer.ln_f.weight"] = torch.zeros(6, device="meta")


def damage_tie(stored):
    stored["lm_head.weight"] = stored["lm_head.weight"] + 1


def damage_spelling(stored):
    stored["ln_f.weight"] = torch.ones(6)


DAMAGES = {
    damage_missing: "missing (1): h.1.ln_1.bias",
    damage_embedding: "missing (1): wte.weight",
    damage_surplus: "surplus (1): h.3.ln_1.bias",
    damage_shape: "wrong (1): h.2.mlp.c_fc.weight: shape (11, 6), not (6, 11)",
    damage_rank: "wrong (1): h.0.attn.c_attn.weight: shape (6,), not (6, 18)",
    damage_dtype: "wrong (1): wpe.weight: torch.float64, not torch.float32",
    damage_kind: "wrong (1): ln_f.weight: list, not a tensor",
    damage_device: "wrong (1): ln_f.weight: on the meta device, without numbers",
    damage_tie: "different (1): lm_head.weight, which is tied to wte.weight",
    damage_spelling: "stored twice (1): ln_f.weight",
}


@facts("damage, message", DAMAGES.items())
def test_one_tensor_that_does_not_fit_leaves_the_model_as_it_was(
    damage, message, stored, refuses
):
    stored = dict(stored)
    damage(stored)
    model = DecoderOnlyTransformer(CONFIG)
    before = {name: p.clone() for name, p in model.named_parameters()}
    refuses(
        lambda: load_model(lambda: model, stored, gpt2.layout(CONFIG)),
        ValueError,
        rf"the tensors .*GPT2LMHeadModel.*\n  {re.escape(message)}\n.*pass the model",
    )
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, before[name])


def test_all_that_does_not_fit_is_named_at_once(stored, refuses):
    for damage in (damage_missing, damage_surplus, damage_shape, damage_tie):
        damage(stored)
    refuses(
        lambda: gpt2.from_hugging_face(stored, config=CONFIG),
        ValueError,
        r"the tensors (?s:.*missing \(1\).*surplus \(1\).*wrong \(1\).*different)",
    )


def test_long_lists_are_cut_and_counted(stored, refuses):
    few = {name: t for name, t in stored.items() if "mlp" not in name}
    refuses(
        lambda: gpt2.from_hugging_face(few, config=CONFIG),
        ValueError,
        r"the tensors (?s:.*)missing \(12\): h.0.mlp.c_fc.weight; (.*; ){4}and 7 more",
    )


def test_a_configuration_with_parameters_of_its_own_is_refused(stored, refuses):
    other = TransformerConfig(
        vocab_size=7, num_encoder_layers=0, d_model=6, d_ff=11, num_heads=2, gated=True
    )
    refuses(
        lambda: gpt2.from_hugging_face(stored, config=other),
        ValueError,
        r"the tensors (?s:.*)not stored there \(12\): .*feed_forward.gate_",
    )


def test_loading_draws_no_random_numbers(stored, draws_nothing):
    with draws_nothing():
        gpt2.from_hugging_face(stored, config=CONFIG)


def test_loading_copies(stored):
    model = gpt2.from_hugging_face(stored, config=CONFIG)
    before = model.embedding.tokens.embedding.weight.clone()
    stored["transformer.wte.weight"].zero_()
    assert torch.equal(model.embedding.tokens.embedding.weight, before)


@facts("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_the_model_takes_the_dtype_of_the_tensors(stored, dtype):
    converted = {name: tensor.to(dtype) for name, tensor in stored.items()}
    model = gpt2.from_hugging_face(converted, config=CONFIG)
    assert {p.dtype for p in model.parameters()} == {dtype}
    assert torch.get_default_dtype() == torch.float32


def test_a_failed_load_leaves_the_default_dtype_as_it_was(stored, refuses):
    converted = {name: tensor.double() for name, tensor in stored.items()}
    del converted["transformer.h.1.ln_1.bias"]
    refuses(
        lambda: gpt2.from_hugging_face(converted, config=CONFIG),
        ValueError,
        r"the tensors must be .*\n  missing \(1\): h.1.ln_1.bias",
    )
    assert torch.get_default_dtype() == torch.float32


def test_a_model_that_cannot_be_built_leaves_the_default_dtype_as_it_was(stored):
    converted = {name: tensor.double() for name, tensor in stored.items()}
    seen = []

    def build():
        seen.append(torch.get_default_dtype())
        raise MemoryError

    with pytest.raises(MemoryError):
        load_model(build, converted, gpt2.layout(CONFIG))
    assert seen == [torch.float64]
    assert torch.get_default_dtype() == torch.float32


@facts("dtype", [torch.int8, torch.float8_e4m3fn])
def test_tensors_that_no_model_computes_with_are_refused(dtype, stored, refuses):
    narrow = {name: tensor.to(dtype) for name, tensor in stored.items()}
    refuses(
        lambda: gpt2.from_hugging_face(narrow, config=CONFIG),
        ValueError,
        rf"the tensors .*\n  wrong \(40\): wte.weight: {dtype}, not torch.float32; "
        ".* and 35 more",
    )


def test_the_model_is_ready_for_inference(stored):
    assert not gpt2.from_hugging_face(stored, config=CONFIG).training


@facts("config", [THEIRS, THEIRS.to_dict()], ids=["object", "file"])
def test_the_family_is_found_by_its_type(config, stored):
    assert from_hugging_face(stored, config=config).config == CONFIG


def test_the_family_is_found_by_the_name_of_a_preset(stored, monkeypatch):
    monkeypatch.setitem(gpt2.CONFIGS, "tiny", CONFIG)
    monkeypatch.setitem(CONFIGS, "tiny", CONFIG)
    assert from_hugging_face(stored, config="tiny").config == CONFIG


@facts("kind, family", FAMILIES.items())
def test_each_family_knows_its_type(kind, family, refuses):
    """It misses the sizes, and has nothing to say against the type."""
    config = {"model_type": kind}
    message = "the configuration.*got model_type.*pass the whole"
    refuses(lambda: family.config_from_hugging_face(config), ValueError, message)


@facts("theirs, ours", ACTIVATION_NAMES.items())
def test_activations_are_what_the_reference_calls_them(theirs, ours, parity):
    x = torch.linspace(-5, 5, 101, dtype=torch.float64)
    found, expected = ACTIVATIONS[ours](x), ACT2FN[theirs](x)
    compared = parity(ACTIVATIONS[ours], ACT2FN[theirs])
    compared.values(found, expected, rtol=0, atol=1e-11)


class Unknown(nn.Linear):
    config = {"model_type": "mamba"}  # noqa: RUF012


X = torch.zeros(7, 6)
BAD_INPUTS = [
    (
        lambda: gpt2.from_hugging_face({}),
        ValueError,
        "a dictionary of tensors.*got none.*pass config=",
    ),
    (
        lambda: gpt2.from_hugging_face("gpt2"),
        TypeError,
        "model_or_state_dict.*got 'gpt2'.*pass",
    ),
    (
        lambda: from_hugging_face("gpt2"),
        TypeError,
        r"model_or_state_dict.*got 'gpt2'.*zoo\.load",
    ),
    (
        lambda: from_hugging_face(12, config="gpt2"),
        TypeError,
        "model_or_state_dict.*got int.*pass model",
    ),
    (
        lambda: gpt2.from_hugging_face(nn.Linear(2, 3)),
        TypeError,
        "model_or_state_dict.*got Linear.*pass model",
    ),
    (lambda: gpt2.from_hugging_face({}, config=12), TypeError, "config.*got int"),
    (lambda: from_hugging_face(Unknown(2, 3)), ValueError, "model_type.*got 'mamba'"),
    (
        lambda: from_hugging_face({}, config=object()),
        ValueError,
        "model_type.*got None",
    ),
    (
        lambda: from_hugging_face({}, config="bert-huge"),
        ValueError,
        "the name of a preset.*got 'bert-huge'",
    ),
    (lambda: from_hugging_face({}), ValueError, "the family.*got none.*pass config="),
    (
        lambda: from_hugging_face({}, config=CONFIG),
        ValueError,
        "the family.*got a TransformerConfig, which tells none.*from_hugging_face",
    ),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)


# What stands around a model, and types


@pytest.fixture
def theirs():
    return GPT2LMHeadModel(THEIRS).eval()


@facts("prefix", ["_orig_mod.", "module.", "base_model.model.", "module._orig_mod."])
def test_what_wraps_a_model_is_taken_off_its_names(theirs, prefix):
    expected = gpt2.from_hugging_face(theirs)
    tensors = {prefix + name: x for name, x in theirs.state_dict().items()}
    ours = gpt2.from_hugging_face(tensors, config=theirs.config)
    tokens = torch.tensor([[5, 6, 3]])
    assert torch.equal(ours(tokens), expected(tokens))


@facts("wrap", [lambda model: torch.compile(model, backend="eager"), nn.DataParallel])
def test_a_wrapped_model_is_loaded_as_what_is_inside(theirs, wrap):
    tokens = torch.tensor([[5, 6, 3]])
    expected = gpt2.from_hugging_face(theirs)(tokens)
    ours = gpt2.from_hugging_face(wrap(theirs), config=theirs.config)
    assert torch.equal(ours(tokens), expected)


def test_what_was_trained_beside_the_weights_must_be_merged(theirs, refuses):
    layer = "base_model.model.transformer.h.0.attn.c_attn"
    tensors = {f"base_model.model.{n}": x for n, x in theirs.state_dict().items()}
    tensors[f"{layer}.lora_A.default.weight"] = torch.zeros(2, 6)
    refuses(
        lambda: gpt2.from_hugging_face(tensors, config=theirs.config),
        ValueError,
        "surplus.*(?s:.*)merge_and_unload",
    )


def test_tensors_of_several_types_are_loaded_in_the_one_that_is_asked_for(
    theirs, refuses
):
    tensors = {
        name: x.float() if "ln_" in name else x.bfloat16()
        for name, x in theirs.state_dict().items()
    }
    refuses(
        lambda: gpt2.from_hugging_face(tensors, config=theirs.config),
        ValueError,
        "float32, not torch.bfloat16(?s:.*)or a dtype for all",
    )
    ours = gpt2.from_hugging_face(tensors, config=theirs.config, dtype=torch.bfloat16)
    assert {x.dtype for x in ours.parameters()} == {torch.bfloat16}
    expected = gpt2.from_hugging_face(theirs).bfloat16()
    tokens = torch.tensor([[5, 6, 3]])
    assert torch.equal(ours(tokens), expected(tokens))
    again = from_hugging_face(theirs, dtype=torch.float64)
    assert again.dtype == torch.float64
    refuses(
        lambda: from_hugging_face(theirs, dtype=torch.int8), TypeError, "dtype.*int8"
    )
