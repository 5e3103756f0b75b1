"""Frequencies of rotary embeddings and their scalings for longer texts."""

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    SCALINGS,
    linear_scaling,
    llama3_scaling,
    ntk_scaling,
    rotary_frequencies,
    unscaled,
    yarn_scaling,
)

EXACT = {"rtol": 1e-12, "atol": 0}
FLOAT32 = {"rtol": 1e-5, "atol": 0}  # the reference computes in float32
ROPE = "transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS"

factors = st.floats(1, 64)
lengths = st.integers(7, 100_000)
even_sizes = st.integers(2, 64).map(lambda pairs: 2 * pairs)
bases = st.sampled_from([100.0, 10_000.0, 500_000.0])


def scale(name, frequencies, *, factor=4.0, original_max_len=512):
    factor = 1.0 if name == "none" else factor
    return SCALINGS[name](frequencies, factor=factor, original_max_len=original_max_len)


def hugging_face(name, d_head, base, *, seq_len=None, **parameters):
    config = LlamaConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        max_position_embeddings=2048,
        rope_parameters={"rope_type": name, "rope_theta": base, **parameters},
    )
    return ROPE_INIT_FUNCTIONS[name](config, "cpu", seq_len=seq_len)


# The equation by hand


def test_frequencies_fall_from_one_by_the_base():
    expected = torch.tensor([1, 0.1, 0.01, 0.001], dtype=torch.float64)
    assert_close(rotary_frequencies(8), expected, **EXACT)


@facts("length, pairs", [(64, 9), (512, 16), (4096, 23)])
def test_how_many_of_32_pairs_complete_a_turn(length, pairs):
    turns = rotary_frequencies(64) * length / (2 * math.pi)
    assert int((turns >= 1).sum()) == pairs


def test_position_interpolation_divides_all_frequencies():
    frequencies = rotary_frequencies(8)
    scaled, magnitude = linear_scaling(frequencies, factor=4.0)
    assert_close(scaled, frequencies / 4, **EXACT)
    assert magnitude == 1


@facts("d_head", [4, 16])
def test_ntk_is_a_change_of_the_base(d_head):
    scaled, magnitude = ntk_scaling(rotary_frequencies(d_head), factor=3.0)
    base = 10_000 * 3 ** (d_head / (d_head - 2))
    expected = rotary_frequencies(d_head, base=base)
    assert_close(scaled, expected, **EXACT)
    assert magnitude == 1


def test_llama3_by_hand():
    turns = torch.tensor([8, 4, 2.5, 1, 0.5], dtype=torch.float64)
    frequencies = turns * 2 * math.pi / 8192
    scaled, magnitude = llama3_scaling(frequencies, factor=8.0, original_max_len=8192)
    shares = torch.tensor([1, 1, 0.5 + 0.5 / 8, 1 / 8, 1 / 8], dtype=torch.float64)
    assert_close(scaled, frequencies * shares, **EXACT)
    assert magnitude == 1


def test_yarn_by_hand():
    # pair i turns 512 / 2 ** i times: 32 times at i = 4, once at i = 9
    turns = 512 * 0.5 ** torch.arange(11, dtype=torch.float64) * (1 + 1e-9)
    frequencies = turns * 2 * math.pi / 1000
    scaled, magnitude = yarn_scaling(frequencies, factor=2.0, original_max_len=1000)
    slowed = torch.tensor([0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6], dtype=torch.float64) / 6
    assert_close(scaled, frequencies * (1 - slowed / 2), **EXACT)
    assert math.isclose(magnitude, 1.0693, abs_tol=5e-5)  # 0.1 ln 2 + 1


def test_borders_of_yarn_that_are_not_rounded_by_hand():
    # 512 turns are 32 at i = 4; with 1.5 times as many, 32 and 1 lie at 4.58 and 9.58
    turns = 1.5 * 512 * 0.5 ** torch.arange(11, dtype=torch.float64)
    frequencies = turns * 2 * math.pi / 1000
    scaled, _ = yarn_scaling(
        frequencies, factor=2.0, original_max_len=1000, rounded=False
    )
    pair = torch.arange(11, dtype=torch.float64)
    slowed = ((pair - 4 - math.log2(1.5)) / 5).clamp(0, 1)
    assert_close(scaled, frequencies * (1 - slowed / 2), **EXACT)


def test_a_single_pair_stays_as_it_is_under_ntk():
    assert ntk_scaling(rotary_frequencies(2), factor=8.0).frequencies.tolist() == [1]


# Invariants


@facts("name", SCALINGS)
@given(d=even_sizes, base=bases, factor=factors, length=lengths)
@settings(max_examples=25)
def test_no_rotation_gets_faster_or_slower_than_interpolated(
    name, d, base, factor, length
):
    frequencies = rotary_frequencies(d, base=base)
    scaled = scale(name, frequencies, factor=factor, original_max_len=length)
    assert (scaled.frequencies <= frequencies * (1 + 1e-12)).all()
    assert (scaled.frequencies >= frequencies / factor * (1 - 1e-12)).all()


@facts("name", SCALINGS)
@given(d=even_sizes, base=bases, length=lengths)
@settings(max_examples=25)
def test_a_factor_of_one_changes_nothing(name, d, base, length):
    frequencies = rotary_frequencies(d, base=base)
    scaled = scale(name, frequencies, factor=1.0, original_max_len=length)
    assert_close(scaled.frequencies, frequencies, **EXACT)
    assert scaled.magnitude == 1


@given(d=even_sizes, factor=factors)
@settings(max_examples=25)
def test_ntk_keeps_the_fastest_and_interpolates_the_slowest(d, factor):
    frequencies = rotary_frequencies(d)
    scaled = ntk_scaling(frequencies, factor=factor).frequencies
    assert scaled[0] == frequencies[0]
    assert_close(scaled[-1], frequencies[-1] / factor, **EXACT)


@facts("name, fast", [("yarn", 32), ("llama3", 4)])
@given(base=bases, factor=factors, length=lengths)
@settings(max_examples=25)
def test_fast_pairs_stay_and_slow_pairs_are_interpolated(
    name, fast, base, factor, length
):
    frequencies = rotary_frequencies(64, base=base)
    scaled = scale(name, frequencies, factor=factor, original_max_len=length)
    turns = frequencies * length / (2 * math.pi)
    stay, slow = turns >= fast, turns <= 1
    assert_close(scaled.frequencies[stay], frequencies[stay], **EXACT)
    slowest = scaled.frequencies[-1:][slow[-1:]]  # yarn rounds the border outwards
    assert_close(slowest, (frequencies / factor)[-1:][slow[-1:]], **EXACT)


@facts("name", SCALINGS)
def test_dtype_and_device_of_the_frequencies_stay(name):
    scaled = scale(name, rotary_frequencies(8).float()).frequencies
    assert scaled.dtype == torch.float32
    assert scale(name, rotary_frequencies(8).to("meta")).frequencies.shape == (4,)


# Parity with Hugging Face


@facts("base", [10_000.0, 500_000.0])
@facts("d_head", [16, 64, 128])
@facts("length", [64, 512, 8192, 131_072])
@facts("factor", [1.0, 8.0, 32.0])
def test_parity_with_hugging_face(base, d_head, length, factor, parity):
    frequencies = rotary_frequencies(d_head, base=base)
    both = {"factor": factor, "original_max_position_embeddings": length}
    llama3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    for name, extra in (("linear", {}), ("yarn", {}), ("llama3", llama3)):
        theirs = hugging_face(name, d_head, base, **both, **extra)
        ours = scale(name, frequencies, factor=factor, original_max_len=length)
        compared = parity(SCALINGS[name], f"{ROPE} ({name})")
        compared.values(ours.frequencies.float(), theirs[0], **FLOAT32)
        assert math.isclose(ours.magnitude, theirs[1], rel_tol=1e-12)


@facts("rounded", [True, False])
@facts(
    "base, d_head, length",
    [(2.0, 6, 67), (10.0, 14, 67), (10.0, 14, 1031), (100.0, 22, 131_071)],
)
def test_yarn_ends_its_ramp_where_hugging_face_does(base, d_head, length, rounded):
    # With a small base even the slowest pair turns often, and the ramp would end
    # beyond the last feature.
    both = {"factor": 8.0, "original_max_position_embeddings": length}
    both["truncate"] = rounded
    theirs, _ = hugging_face("yarn", d_head, base, **both)
    frequencies = rotary_frequencies(d_head, base=base)
    name = "yarn" if rounded else "yarn_unrounded"
    ours = scale(name, frequencies, factor=8.0, original_max_len=length)
    assert_close(ours.frequencies.float(), theirs, **FLOAT32)


@facts("length", [2048, 3000, 8192])
def test_ntk_is_the_dynamic_scaling_of_hugging_face_at_a_fixed_length(length, parity):
    theirs, _ = hugging_face("dynamic", 64, 10_000.0, factor=2.0, seq_len=length)
    factor = 2 * length / 2048 - 1
    ours = ntk_scaling(rotary_frequencies(64), factor=factor).frequencies
    compared = parity(ntk_scaling, f"{ROPE} (dynamic)")
    compared.values(ours.float(), theirs, **FLOAT32)


# Errors

ROW = rotary_frequencies(8)

BAD_INPUTS = {
    ValueError: {
        "d_model.*got 7; choose": lambda: rotary_frequencies(7),
        "factor.*1.*got 2.0; choose": lambda: unscaled(ROW, factor=2.0),
        "factor.*at least 1.*got 0.5; pass": lambda: linear_scaling(ROW, factor=0.5),
        "factor.*above 0.*got inf": lambda: ntk_scaling(ROW, factor=float("inf")),
        "original_max_len.*at least 1.*got 0": lambda: yarn_scaling(
            ROW, factor=8.0, original_max_len=0
        ),
        "the number of frequencies.*at least 2.*got 1": lambda: yarn_scaling(
            ROW[:1], factor=8.0, original_max_len=64
        ),
        r"frequencies.*\(pairs,\).*got \(1, 4\); make": lambda: linear_scaling(
            ROW[None], factor=2.0
        ),
    },
    TypeError: {
        r"factor.*got '8' \(str\)": lambda: llama3_scaling(
            ROW, factor="8", original_max_len=64
        ),
        "original_max_len.*got None": lambda: llama3_scaling(
            ROW, factor=8.0, original_max_len=None
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
