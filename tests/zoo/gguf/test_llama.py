"""A Llama from a GGUF file computes what Hugging Face's computes."""

import tracemalloc
from dataclasses import replace

import gguf
import numpy as np
import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.zoo.gguf import load_llama, read_gguf
from transformer.zoo.gguf.llama import config_of

KINDS = gguf.GGMLQuantizationType
TOKENS = torch.arange(3 * 11).view(3, 11) % 29
VARIANTS = {
    "fewer key-value heads": {},
    "as many": {"num_key_value_heads": 4},
    "tied": {"tie_word_embeddings": True},
    "wider heads": {"head_dim": 24},
    "biases": {"attention_bias": True},
}


def logits(model):
    with torch.no_grad():
        out = model(TOKENS)
    return getattr(out, "logits", out)


@facts("choices", VARIANTS.values(), ids=[*VARIANTS])
def test_logits_equal_the_reference(choices, small, stored):
    theirs = small(**choices)
    ours = load_llama(stored(theirs))
    assert not ours.training
    assert ours.config.rotary_layout == "interleaved"
    assert_close(logits(ours), logits(theirs), rtol=1e-5, atol=1e-5)


def test_every_parameter_is_loaded_bit_by_bit(small, stored):
    theirs = small()
    ours = load_llama(stored(theirs))
    count = sum(p.numel() for p in theirs.parameters())
    assert sum(p.numel() for p in ours.parameters()) == count
    assert torch.equal(ours.head.projection.weight, theirs.lm_head.weight)


def test_loading_draws_no_random_numbers(small, stored, draws_nothing):
    file = stored(small())
    with draws_nothing():
        load_llama(file)


@facts("kind", ["F16", "BF16", "Q8_0", "Q4_0", "Q4_1"])
def test_packed_weights_are_those_that_the_package_gguf_unpacks(kind, small, stored):
    ours = load_llama(stored(small(), kind=KINDS[kind]))
    path = stored.path
    weights = {t.name: t for t in gguf.GGUFReader(path).tensors}
    up = weights["blk.1.ffn_up.weight"]
    assert up.tensor_type.name == kind
    layer = ours.decoder.layers[1].feed_forward
    theirs = gguf.dequantize(up.data, up.tensor_type)
    assert np.array_equal(layer.up_projection.weight.detach().numpy(), theirs)


ROPES = {
    "linear": ({"type": "linear", "factor": 4.0}, {"rope_type": "linear"}),
    "yarn": (
        {"type": "yarn", "factor": 4.0, "original_context_length": 37},
        {"rope_type": "yarn", "original_max_position_embeddings": 37},
    ),
}


@facts("name", ROPES)
def test_a_stretched_rotation_is_read_from_the_file(name, small, stored):
    said, rope = ROPES[name]
    theirs = small(rope_parameters=rope | {"rope_theta": 100.0, "factor": 4.0})
    more = {f"llama.rope.scaling.{key}": value for key, value in said.items()}
    ours = load_llama(stored(theirs, more))
    assert ours.config.rotary_scaling == name
    assert_close(logits(ours), logits(theirs), rtol=1e-5, atol=1e-5)


def llama3(small, base=100.0, original=8192):
    rope = {
        "rope_type": "llama3",
        "rope_theta": base,
        "factor": 8.0,
        "original_max_position_embeddings": original,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    }
    theirs = small(rope_parameters=rope, max_position_embeddings=2**16)
    plain = base ** (-torch.arange(8) / 8)
    return theirs, (plain / theirs.model.rotary_emb.inv_freq).numpy()


@facts(
    "base, original, said",
    [
        (500_000.0, 8192, {}),
        (100.0, 64, {"llama.rope.scaling.original_context_length": 64}),
    ],
)
def test_the_rotation_of_llama_3_is_read_from_its_tensor(
    base, original, said, small, stored
):
    theirs, divisors = llama3(small, base, original)
    assert divisors.round().tolist()[:: len(divisors) - 1] == [
        1,
        8,
    ]  # slowed at the end
    ours = load_llama(stored(theirs, said, {"rope_freqs.weight": divisors}))
    assert ours.config.rotary_scaling == "llama3"
    assert ours.config.rotary_original_len == original
    assert_close(logits(ours), logits(theirs), rtol=1e-5, atol=1e-5)


def test_another_rotation_is_refused(small, stored):
    theirs, divisors = llama3(small)
    other = {"rope_freqs.weight": divisors + np.float32(0.01) * np.arange(8)}
    with pytest.raises(ValueError, match=r"rope_freqs\.weight, which is not the table"):
        load_llama(stored(theirs, {}, other))


@facts(
    "more, said",
    [
        ({"llama.expert_count": 8}, "expert_count of small.gguf.*got 8"),
        ({"llama.attention.sliding_window": 9}, "got attention.sliding_window=9;"),
        ({"llama.wing": 1, "llama.tail": 2}, "got wing=1, tail=2; load another"),
        ({"llama.vocab_size": 30}, "vocab_size of small.gguf.*got 30"),
        ({"llama.rope.dimension_count": 8}, "must be 16 for a Llama .*got 8"),
        (
            {"llama.rope.scaling.type": "longrope"},
            "rotary_scaling must be .*'longrope'",
        ),
    ],
)
def test_what_the_package_cannot_hold_is_said(more, said, small, stored):
    with pytest.raises(ValueError, match=said):
        load_llama(stored(small(), more))


@facts(
    "more, said",
    [
        (
            {"llama.block_count": 2**31},
            "must have a tensor for each layer",
        ),
        ({"llama.embedding_length": 2**30}, "the tensors must be those of small"),
        (
            {"llama.feed_forward_length": 2**31},
            "the tensors must be those of small",
        ),
        ({"llama.vocab_size": [29, 29]}, r"must be 29 for a Llama .*got array\("),
        ({"llama.expert_count": [1, 2]}, r"must be 0 for a Llama .*got array\("),
        ({"llama.attention.sliding_window": [9] * 999}, "sliding_window=array"),
    ],
)
def test_what_is_not_true_is_refused_with_little_memory(more, said, small, stored):
    path = stored(small(), more)
    tracemalloc.start()
    with pytest.raises(ValueError, match=said) as refused:
        load_llama(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000
    assert len(str(refused.value)) < 2000


def test_an_architecture_of_numbers_is_refused(small, stored):
    file = read_gguf(stored(small()))
    fields = {**file.fields, "general.architecture": np.arange(3)}
    with pytest.raises(ValueError, match=r"architecture 'llama', got array\("):
        load_llama(replace(file, fields=fields))


def test_other_architectures_are_refused(small, stored):
    with pytest.raises(
        ValueError, match="architecture 'llama', got 'phi'; load another"
    ):
        load_llama(stored(small(), architecture="phi"))


@facts("name", ["llama.block_count", "llama.attention.head_count"])
def test_a_missing_field_is_named(name, small, stored):
    path = stored(small(), without=[name])
    with pytest.raises(ValueError, match=f"got no {name.removeprefix('llama.')};"):
        config_of(read_gguf(path))


def test_one_error_lists_all_tensors_that_do_not_fit(small, stored):
    other = {"blk.0.ffn_up.weight": np.zeros((5, 64), np.float32)}
    surplus = {"blk.0.attn_sinks.weight": np.zeros(4, np.float32)}
    path = stored(small(), {}, other | surplus, without=["output_norm.weight"])
    with pytest.raises(ValueError, match=r"must be those of small\.gguf") as refused:
        load_llama(path)
    said = str(refused.value)
    assert "missing (1): output_norm.weight" in said
    assert "surplus (1): blk.0.attn_sinks.weight" in said
    assert "blk.0.ffn_up.weight: shape (5, 64), not (96, 64)" in said
