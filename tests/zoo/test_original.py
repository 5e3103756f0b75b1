"""The original Transformer: its sizes, and its public relative Marian."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from transformers import MarianConfig, MarianModel, MarianMTModel

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.layers import sinusoidal_table
from transformer.models import Transformer
from transformer.zoo import original

VARIANTS = {
    "relu": {},
    "swish": {"activation_function": "swish"},
    "unscaled embeddings": {"scale_embedding": False},
    "one layer against three": {"encoder_layers": 1, "decoder_layers": 3},
}


def tiny(**choices):
    stacks = {
        f"{stack}_{name}": size
        for stack in ("encoder", "decoder")
        for name, size in (("layers", 2), ("ffn_dim", 28), ("attention_heads", 5))
    }
    others = {
        "activation_function": "relu",
        "scale_embedding": True,
        "dropout": 0.0,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "forced_eos_token_id": 1,
        "decoder_start_token_id": 0,
    }
    sizes = {"vocab_size": 23, "d_model": 20, "max_position_embeddings": 13}
    return MarianConfig(**sizes | stacks | others | choices)


@pytest.fixture
def marian(reference):
    """Build a reference with an output bias, and positions in its own dtype."""

    def build(dtype=torch.float32, **choices):
        theirs = reference(MarianMTModel, tiny(**choices), dtype)
        theirs.final_logits_bias.normal_().requires_grad_()
        table = sinusoidal_table(13, 20).unflatten(1, (-1, 2)).mT.flatten(1)
        for stack in (theirs.model.encoder, theirs.model.decoder):
            stack.embed_positions.weight.data = table.to(dtype)
            stack.embed_tokens.padding_idx = None  # it would cut off a gradient
        return theirs

    return build


@facts("choices", VARIANTS.values(), ids=[*VARIANTS])
def test_logits_and_gradients_equal_marian(
    choices, pair, marian, assert_parity, dtype, tolerance
):
    theirs = marian(dtype, **choices)
    ours = original.from_hugging_face(theirs)
    layout = original.layout(ours.config)
    assert_parity(ours, theirs, pair, layout, tolerance)


def test_with_a_cache_each_step_equals_marian(
    batch, pair, marian, dtype, tolerance, assert_same_translation_steps
):
    theirs = marian(dtype)
    ours = original.from_hugging_face(theirs)
    assert_same_translation_steps(ours, theirs, batch, pair, tolerance)


def test_bfloat16(pair, marian, assert_bfloat16):
    theirs = marian(torch.bfloat16)
    ours = original.from_hugging_face(theirs)
    assert_bfloat16(ours, theirs, pair)


def test_interleaving_by_hand():
    stored = torch.tensor([[0, 1, 2, 10, 11, 12]])
    expected = torch.tensor([[0, 10, 1, 11, 2, 12]])
    assert torch.equal(original.interleave(stored, 1), expected)
    assert torch.equal(original.interleave(stored.T, 0), expected.T)


def test_interleaving_turns_the_positions_of_marian_into_ours():
    theirs = MarianModel(tiny()).encoder.embed_positions.weight
    found = original.interleave(theirs, 1)
    assert (found - sinusoidal_table(13, 20)).abs().max() < 2**-24


def test_the_hidden_states_are_those_of_marian_in_another_order(batch, marian, parity):
    theirs = marian(torch.float64)
    ours = original.from_hugging_face(theirs)
    read = theirs.get_encoder()(**batch.theirs).last_hidden_state
    memory = ours.encode(batch.tokens, source_mask=batch.real)
    found, expected = memory[batch.real], original.interleave(read, 2)[batch.real]
    compared = parity(ours.encode, theirs.get_encoder())
    compared.values(found, expected, rtol=0, atol=1e-12)


@facts(
    "name, attention_bias, final_norm, count",
    [
        ("transformer-base", False, False, 63_045_632),
        ("transformer-base", True, False, 63_082_496),
        ("transformer-base", True, True, 63_084_544),
        ("transformer-big", False, False, 214_171_648),
        ("transformer-big", True, False, 214_245_376),
        ("transformer-big", True, True, 214_249_472),
    ],
)
def test_presets_have_the_number_of_parameters_that_the_formulas_give(
    name, attention_bias, final_norm, count, count_on_meta
):
    config = replace(
        original.CONFIGS[name], attention_bias=attention_bias, final_norm=final_norm
    )
    assert count_on_meta(partial(Transformer, config)) == count


def test_presets_have_the_epsilon_of_the_code_of_the_authors():
    # tensor2tensor, layers/common_hparams.py: norm_epsilon=1e-6
    assert {config.norm_eps for config in original.CONFIGS.values()} == {1e-6}


def test_each_field_is_read():
    config = tiny(
        encoder_layers=3,
        decoder_layers=1,
        activation_function="swish",
        scale_embedding=False,
        dropout=0.2,
        attention_dropout=0.3,
        activation_dropout=0.4,
    )
    assert original.config_from_hugging_face(config) == TransformerConfig(
        vocab_size=23,
        max_len=13,
        num_encoder_layers=3,
        num_decoder_layers=1,
        d_model=20,
        d_ff=28,
        num_heads=5,
        activation="silu",
        attention_bias=True,
        scale_embeddings=False,
        logits_bias=True,
        dropout=0.2,
        attention_dropout=0.3,
        activation_dropout=0.4,
    )


@facts("option", ["normalize_before", "normalize_embedding", "add_final_layer_norm"])
def test_norms_at_other_places_are_refused(option, refuses):
    config = tiny(**{option: True})
    message = f".*got {option}=True instead of False"
    refuses(lambda: original.config_from_hugging_face(config), ValueError, message)


def test_presets_are_rows_of_table_3():
    base, big = (original.CONFIGS[f"transformer-{size}"] for size in ("base", "big"))
    assert replace(base, d_model=1024, d_ff=4096, num_heads=16, dropout=0.3) == big
    sizes = (base.num_encoder_layers, base.d_model, base.d_ff, base.num_heads)
    assert (*sizes, base.head_size, base.dropout) == (6, 512, 2048, 8, 64, 0.1)


NO_SINUSOIDS = {
    "one number": lambda table: table.index_fill(1, torch.tensor([3]), 0.001),
    "too few": lambda table: table[:-1],
    "integers": lambda table: table.long(),
    "no numbers": lambda table: table.to("meta"),
    "no tensor": lambda table: table.tolist(),
}


@facts("change", NO_SINUSOIDS.values(), ids=[*NO_SINUSOIDS])
def test_positions_that_are_no_sinusoids_are_refused(change, marian, refuses):
    theirs = marian()
    stored = theirs.state_dict()
    name = "model.decoder.embed_positions.weight"
    stored[name] = change(stored[name])
    refuses(
        lambda: original.from_hugging_face(stored, config=theirs.config),
        ValueError,
        r"the tensors (?s:.*)different \(1\): decoder.embed_positions.weight",
    )


def test_a_head_that_is_not_tied_is_refused(marian, refuses):
    theirs = marian()
    stored = {name: x.clone() for name, x in theirs.state_dict().items()}
    stored["lm_head.weight"] += 1
    refuses(
        lambda: original.from_hugging_face(stored, config=theirs.config),
        ValueError,
        r"the tensors (?s:.*)different \(1\): lm_head.weight.*tied to shared.weight",
    )


def test_positions_are_compared_wherever_new_tensors_live(marian):
    theirs = marian()
    with torch.device("meta"):
        ours = original.from_hugging_face(theirs)
    assert next(ours.parameters()).device.type == "cpu"


def test_positions_need_not_be_stored(marian):
    theirs = marian()
    stored = {n: t for n, t in theirs.state_dict().items() if "positions" not in n}
    ours = original.from_hugging_face(stored, config=theirs.config)
    assert torch.equal(ours.head.projection.bias, theirs.final_logits_bias[0])


BAD_INPUTS = {
    "two vocabularies": (
        lambda: original.config_from_hugging_face(tiny(decoder_vocab_size=29)),
        ValueError,
        "the configuration.*got decoder_vocab_size=29 instead of 23.*load another",
    ),
    "stacks of different widths": (
        lambda: original.config_from_hugging_face(
            tiny(decoder_ffn_dim=29, decoder_attention_heads=4)
        ),
        ValueError,
        "the configuration.*got decoder_ffn_dim=29.*, decoder_attention_heads=4",
    ),
    "learned positions": (
        lambda: original.config_from_hugging_face(
            tiny().to_dict() | {"static_position_embeddings": False}
        ),
        ValueError,
        r"the configuration .*got static_position_embeddings=False instead of True",
    ),
    "norms before": (
        lambda: original.config_from_hugging_face(
            tiny().to_dict() | {"normalize_before": True}
        ),
        ValueError,
        "the configuration.*got normalize_before=True instead of False",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
