"""Rotary embeddings turn queries and keys so that scores see distances only."""

import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import GPTNeoXConfig, LlamaConfig
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from bookkit.checking.facts import facts, refusals
from transformer.layers import SCALINGS, RotaryEmbedding, rotary_frequencies
from transformer.layers import rotary as module
from transformer.layers.rotary import widest_float

FLOAT64 = {"rtol": 0, "atol": 1e-12}
FLOAT32 = {"rtol": 0, "atol": 1e-5}
LAYOUTS = ["half", "interleaved"]

layouts = st.sampled_from(LAYOUTS)
scalings = st.sampled_from(list(SCALINGS))
fractions = st.sampled_from([0.5, 1.0])
places = st.integers(0, 2000)


def make(d_head, scaling="none", **settings):
    """Make a rotary embedding, with a factor if it is scaled."""
    factor = 1.0 if scaling == "none" else 4.0
    return RotaryEmbedding(
        d_head, scaling=scaling, factor=factor, original_max_len=64, **settings
    )


def rotated(rotary, x, position):
    """Rotate a single vector."""
    return rotary(x[None], torch.tensor([position]))[0]


def gradients(function, *inputs):
    """Return results and gradients in a fixed direction."""
    inputs = [x.detach().requires_grad_() for x in inputs]
    results = function(*inputs)
    loss = sum((y * torch.linspace(-1, 1, y.size(-1)).to(y)).sum() for y in results)
    return [y.detach() for y in results], torch.autograd.grad(loss, inputs)


def check_parity(compared, ours, theirs, tolerance):
    """Compare what `gradients` returns of ours with what it returns of a reference."""
    compared.values(ours[0], theirs[0], **tolerance)
    compared.gradients(ours[1], theirs[1], **tolerance)


# The equation by hand


@facts("layout", LAYOUTS)
@facts(
    "query_position, key_position, score",
    [
        (0, 0, 1.0),
        (1, 3, 6.430599),
        (5, 7, 6.430599),
        (100, 102, 6.430599),
        (3, 1, -5.349995),
        (1, 5, 5.948935),
    ],
)
def test_the_worked_scores_of_the_book(layout, query_position, key_position, score):
    half_a_radian = RotaryEmbedding(2, scaling="linear", factor=2.0, layout=layout)
    query = torch.tensor([1, 2], dtype=torch.float64)
    key = torch.tensor([3, -1], dtype=torch.float64)
    came = rotated(half_a_radian, query, query_position) @ rotated(
        half_a_radian, key, key_position
    )
    assert math.isclose(came, score, abs_tol=5e-7)


def test_the_worked_rotation_of_the_book():
    half_a_radian = RotaryEmbedding(2, scaling="linear", factor=2.0)
    turned = rotated(half_a_radian, torch.tensor([1, 2], dtype=torch.float64), 1)
    expected = torch.tensor([-0.0813, 2.2346], dtype=torch.float64)
    assert_close(turned, expected, rtol=0, atol=5e-5)


def test_scores_of_equal_vectors_are_the_cosine_of_the_distance():
    keys = RotaryEmbedding(2)(torch.tensor([[1.0, 0.0]]).expand(4, 2), torch.arange(4))
    expected = torch.tensor([1, 0.5403, -0.4161, -0.9900])
    assert_close(keys @ keys[0], expected, rtol=0, atol=5e-5)


def test_scores_of_aligned_vectors_fall_but_not_steadily():
    keys = RotaryEmbedding(128)(torch.ones(257, 128).double(), torch.arange(257))
    scores = keys @ keys[0]
    came = [round(scores[offset].item()) for offset in (0, 1, 4, 64, 256)]
    assert came == [128, 124, 97, 61, 41]
    assert int((scores[1:] > scores[:-1]).sum()) == 115


@facts("layout", LAYOUTS)
def test_the_formula_written_as_loops(layout):
    x = torch.randn(3, 6, dtype=torch.float64)
    turned = RotaryEmbedding(6, layout=layout)(x, torch.tensor([0, 4, 9]))
    for row, position in enumerate([0, 4, 9]):
        for i in range(3):
            a, b = (i, i + 3) if layout == "half" else (2 * i, 2 * i + 1)
            angle = position / 10_000 ** (2 * i / 6)
            first = x[row, a] * math.cos(angle) - x[row, b] * math.sin(angle)
            second = x[row, a] * math.sin(angle) + x[row, b] * math.cos(angle)
            assert math.isclose(turned[row, a], first, abs_tol=1e-12)
            assert math.isclose(turned[row, b], second, abs_tol=1e-12)


@facts("layout", LAYOUTS)
@facts("name", ["yarn", "yarn_unrounded"])
def test_yarn_lengthens_the_vectors(layout, name):
    x = torch.randn(8, dtype=torch.float64)
    expected = (0.1 * math.log(4) + 1) * x
    assert_close(rotated(make(8, name, layout=layout), x, 0), expected, **FLOAT64)


# Shapes


@facts("layout", LAYOUTS)
@facts("fraction", [1.0, 2 / 7])
@facts("leading", [(), (2,), (2, 3), (2, 3, 5)])
def test_the_shape_and_dtype_stay(leading, fraction, layout):
    rotary = RotaryEmbedding(14, fraction=fraction, layout=layout)
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        x = torch.randn(*leading, 11, 14).to(dtype)
        turned = rotary(x, torch.arange(11))
        assert turned.shape == x.shape
        assert turned.dtype == dtype


@facts("layout", LAYOUTS)
def test_each_sequence_may_have_positions_of_its_own(layout):
    rotary, x = RotaryEmbedding(6, layout=layout), torch.randn(2, 3, 5, 6)
    positions = torch.tensor([[0, 0, 0, 1, 2], [7, 8, 9, 10, 11]])
    expected = torch.stack([rotary(x[b], positions[b]) for b in range(2)])
    assert torch.equal(rotary(x, positions[:, None]), expected)


@facts("dtype", [torch.uint8, torch.int16, torch.int32])
def test_positions_of_any_integer_type_mean_the_same(dtype):
    rotary, x = RotaryEmbedding(6), torch.randn(5, 6)
    positions = torch.tensor([3, 100, 0, 7, 255 if dtype == torch.uint8 else 2000])
    assert torch.equal(rotary(x, positions.to(dtype)), rotary(x, positions))


def test_there_are_no_parameters_and_nothing_to_save():
    rotary = RotaryEmbedding(6)
    assert not list(rotary.parameters())
    assert not rotary.state_dict()


# Invariants


@given(layout=layouts, scaling=scalings, fraction=fractions, t=places, s=places)
@settings(max_examples=25)
def test_scores_depend_on_the_distance_only(layout, scaling, fraction, t, s):
    rotary = make(8, scaling, layout=layout, fraction=fraction, base=100.0)
    query, key = torch.randn(2, 8, dtype=torch.float64)
    score = rotated(rotary, query, t) @ rotated(rotary, key, s)
    for shift in (1, 7, 2000):
        shifted = rotated(rotary, query, t + shift) @ rotated(rotary, key, s + shift)
        # angles up to 4,000 radians carry a rounding error of 4,000 x 1e-16
        assert math.isclose(shifted, score, abs_tol=1e-10)


@given(layout=layouts, scaling=scalings, fraction=fractions, position=places)
@settings(max_examples=25)
def test_lengths_stay_up_to_the_magnitude(layout, scaling, fraction, position):
    rotary = make(8, scaling, layout=layout, fraction=fraction)
    x = torch.randn(8, dtype=torch.float64)
    turned = rotated(rotary, x, position)[: rotary.d_rotary]
    expected = rotary.magnitude * x[: rotary.d_rotary].norm()
    assert math.isclose(turned.norm(), expected, rel_tol=1e-12)


@given(layout=layouts, scaling=scalings, first=places, second=places)
@settings(max_examples=25)
def test_two_rotations_are_one_by_the_sum(layout, scaling, first, second):
    rotary = make(8, scaling, layout=layout)
    x = torch.randn(8, dtype=torch.float64)
    twice = rotated(rotary, rotated(rotary, x, first), second)
    once = rotary.magnitude * rotated(rotary, x, first + second)
    assert_close(twice, once, rtol=0, atol=1e-11)


@facts("layout", LAYOUTS)
@facts("scaling", [name for name in SCALINGS if "yarn" not in name])
def test_position_zero_is_the_identity(layout, scaling):
    x = torch.randn(8)
    assert torch.equal(rotated(make(8, scaling, layout=layout), x, 0), x)


@facts("layout", LAYOUTS)
def test_a_negative_position_turns_back(layout):
    rotary, x = RotaryEmbedding(8, layout=layout), torch.randn(8, dtype=torch.float64)
    assert_close(rotated(rotary, rotated(rotary, x, 5), -5), x, **FLOAT64)


@facts("layout", LAYOUTS)
@facts(
    "d_head, fraction, rotated",
    # 0.58 · 100 is 57.999…, and 0.07 · 200 is 14.000…2
    [(100, 0.58, 58), (200, 0.07, 14), (7, 0.84, 6), (11, 0.32, 4), (13, 0.9, 12)],
)
def test_the_rotated_share_is_rounded_to_the_nearest(d_head, fraction, rotated, layout):
    x = torch.rand(3, d_head, dtype=torch.float64) + 1
    rotary = RotaryEmbedding(d_head, fraction=fraction, layout=layout, base=10.0)
    turned = (rotary(x, torch.arange(3)) != x).any(dim=0)
    assert turned.tolist() == [True] * rotated + [False] * (d_head - rotated)


@facts("layout", LAYOUTS)
def test_features_beyond_the_rotated_share_pass_unchanged(layout):
    x, positions = torch.randn(2, 3, 5, 12), torch.arange(5)
    turned = RotaryEmbedding(12, fraction=1 / 3, layout=layout)(x, positions)
    assert torch.equal(turned[..., 4:], x[..., 4:])
    whole = RotaryEmbedding(4, layout=layout)(x[..., :4].contiguous(), positions)
    assert_close(turned[..., :4], whole, rtol=0, atol=1e-6)


@facts("layout", LAYOUTS)
def test_turns_can_be_shared_by_query_and_key(layout):
    rotary, positions = make(6, "yarn", layout=layout), torch.arange(5)
    query, key = torch.randn(2, 3, 5, 6), torch.randn(2, 1, 5, 6)
    rotation = rotary.rotation(positions, query.dtype)
    assert torch.equal(rotary.rotate(query, rotation), rotary(query, positions))
    assert torch.equal(rotary.rotate(key, rotation), rotary(key, positions))


# Precision


@facts("layout", LAYOUTS)
def test_far_positions_are_exact_to_the_last_rounding(layout):
    rotary, x = RotaryEmbedding(8, layout=layout), torch.randn(7, 8)
    positions = torch.arange(1_000_000, 1_000_007)
    exact = rotary(x.double(), positions)
    assert_close(rotary(x, positions).double(), exact, rtol=0, atol=1e-6)


@facts("layout", LAYOUTS)
@facts("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_rounded_once(layout, dtype):
    rotary, positions = RotaryEmbedding(8, layout=layout), torch.arange(5)
    x = torch.randn(2, 3, 5, 8).to(dtype)
    assert torch.equal(rotary(x, positions), rotary(x.float(), positions).to(dtype))


def test_conversion_of_the_module_leaves_the_frequencies():
    rotary = RotaryEmbedding(8, layout="interleaved").bfloat16()
    assert torch.equal(rotary.frequencies[1::2], rotary_frequencies(8))
    assert rotary.frequencies.dtype == torch.float64


def test_angles_are_as_wide_as_the_device_allows():
    assert widest_float(torch.device("cpu")) == torch.float64
    assert widest_float(torch.device("mps")) == torch.float32


def test_angles_are_computed_in_the_widest_type(monkeypatch):
    monkeypatch.setattr(module, "widest_float", lambda device: torch.float32)
    rotary, positions = RotaryEmbedding(8), torch.arange(100)
    angles = positions[:, None] * rotary.frequencies.float()
    cosine, sine, _ = rotary.rotation(positions, torch.float64)
    assert torch.equal(cosine, angles.cos().double())
    assert torch.equal(sine, angles.sin().double())


# Devices, copies and compilation


@facts("layout", LAYOUTS)
def test_a_module_made_on_the_meta_device_knows_its_frequencies(layout):
    with torch.device("meta"):
        rotary = RotaryEmbedding(8, layout=layout)
    x, positions = torch.randn(5, 8), torch.arange(5)
    expected = RotaryEmbedding(8, layout=layout)(x, positions)
    assert torch.equal(rotary.to_empty(device="cpu")(x, positions), expected)
    assert rotary(x.to("meta"), positions.to("meta")).shape == (5, 8)


@facts("layout", LAYOUTS)
def test_copies_and_autocast_change_nothing(layout):
    rotary, positions = RotaryEmbedding(8, layout=layout), torch.arange(5)
    x = torch.randn(2, 3, 5, 8)
    expected = rotary(x, positions)
    assert torch.equal(copy.deepcopy(rotary)(x, positions), expected)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(rotary(x, positions), expected)


@pytest.mark.compiled
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_module_can_be_compiled_whole(layout, backend):
    rotary, positions = RotaryEmbedding(8, layout=layout), torch.arange(5)
    x = torch.randn(2, 3, 5, 8)
    expected = rotary(x, positions)
    compiled = torch.compile(rotary, backend=backend, fullgraph=True)
    assert_close(compiled(x, positions), expected, rtol=0, atol=1e-6)


@facts("layout", LAYOUTS)
def test_an_exported_module_takes_any_length(layout):
    rotary, time = RotaryEmbedding(8, layout=layout), torch.export.Dim("time")
    exported = torch.export.export(
        rotary,
        (torch.randn(2, 3, 5, 8), torch.arange(5)),
        dynamic_shapes={"x": {2: time}, "positions": {0: time}},
    ).module()
    x, positions = torch.randn(2, 3, 7, 8), torch.arange(4, 11)
    assert_close(exported(x, positions), rotary(x, positions), rtol=0, atol=1e-6)


# Parity with Hugging Face and with complex numbers


@facts("start", [0, 40])
def test_parity_with_llama(start, parity):
    config = LlamaConfig(hidden_size=14, num_attention_heads=1)
    query, key = torch.randn(2, 3, 11, 14), torch.randn(2, 1, 11, 14)
    positions = torch.arange(start, start + 11)
    turns = llama.LlamaRotaryEmbedding(config)(query, positions[None])
    theirs = gradients(lambda *qk: llama.apply_rotary_pos_emb(*qk, *turns), query, key)
    rotary = RotaryEmbedding(14)
    ours = gradients(lambda *qk: [rotary(x, positions) for x in qk], query, key)
    check_parity(parity(rotary, llama.apply_rotary_pos_emb), ours, theirs, FLOAT32)


def test_parity_with_gpt_neox_which_rotates_a_quarter(parity):
    config = GPTNeoXConfig(
        hidden_size=16,
        num_attention_heads=1,
        rope_parameters={
            "rope_type": "default",
            "rope_theta": 10_000.0,
            "partial_rotary_factor": 0.25,
        },
    )
    query, key = torch.randn(2, 2, 3, 11, 16)
    positions = torch.arange(11)
    turns = gpt_neox.GPTNeoXRotaryEmbedding(config)(query, positions[None])
    theirs = gradients(
        lambda *qk: gpt_neox.apply_rotary_pos_emb(*qk, *turns), query, key
    )
    rotary = RotaryEmbedding(16, fraction=0.25)
    ours = gradients(lambda *qk: [rotary(x, positions) for x in qk], query, key)
    check_parity(parity(rotary, gpt_neox.apply_rotary_pos_emb), ours, theirs, FLOAT32)


def test_parity_with_gpt_j_which_pairs_neighbors(parity):
    x, positions = torch.randn(2, 3, 11, 14), torch.arange(11)
    sine, cosine = gptj.create_sinusoidal_positions(11, 14)[None].chunk(2, dim=-1)

    def theirs(x):  # (batch, time, heads, d_head) in GPT-J
        turned = gptj.apply_rotary_pos_emb(x.transpose(1, 2), sine, cosine)
        return [turned.transpose(1, 2)]

    rotary = RotaryEmbedding(14, layout="interleaved")
    ours = gradients(lambda x: [rotary(x, positions)], x)
    theirs = gradients(theirs, x)
    check_parity(parity(rotary, gptj.apply_rotary_pos_emb), ours, theirs, FLOAT32)


def test_parity_with_llama_in_float64_given_exact_angles(parity):
    query, key = torch.randn(2, 2, 3, 11, 14, dtype=torch.float64)
    positions = torch.arange(11)
    angles = torch.outer(positions.double(), rotary_frequencies(14)).repeat(1, 2)[None]
    theirs = gradients(
        lambda *qk: llama.apply_rotary_pos_emb(*qk, angles.cos(), angles.sin()),
        query,
        key,
    )
    rotary = RotaryEmbedding(14)
    ours = gradients(lambda *qk: [rotary(x, positions) for x in qk], query, key)
    check_parity(parity(rotary, llama.apply_rotary_pos_emb), ours, theirs, FLOAT64)


@facts("layout", LAYOUTS)
def test_parity_with_complex_numbers(layout):
    x, positions = torch.randn(2, 3, 11, 14, dtype=torch.float64), torch.arange(11)
    phase = torch.exp(1j * torch.outer(positions.double(), rotary_frequencies(14)))

    def complex_formula(x):
        if layout == "half":
            numbers = torch.complex(*x.chunk(2, dim=-1)) * phase
            return [torch.cat((numbers.real, numbers.imag), dim=-1)]
        numbers = torch.complex(x[..., 0::2], x[..., 1::2]) * phase
        return [torch.stack((numbers.real, numbers.imag), dim=-1).flatten(-2)]

    rotary = RotaryEmbedding(14, layout=layout)
    ours = gradients(lambda x: [rotary(x, positions)], x)
    assert_close(ours, gradients(complex_formula, x), **FLOAT64)


# Errors

BAD_INPUTS = {
    ValueError: {
        r"round\(fraction \* d_head\).*got 5; choose": lambda: RotaryEmbedding(5),
        r"round\(fraction \* d_head\).*got 5": lambda: RotaryEmbedding(
            20, fraction=0.25
        ),
        r"round\(fraction \* d_head\).*at least 2.*got 0": lambda: RotaryEmbedding(
            8, fraction=0.01
        ),
        "fraction.*at most 1.*got 1.5; pass": lambda: RotaryEmbedding(8, fraction=1.5),
        "fraction.*above 0.*got 0": lambda: RotaryEmbedding(8, fraction=0.0),
        "base.*above 1.*got 1": lambda: RotaryEmbedding(8, base=1.0),
        "layout.*got 'neox'; choose": lambda: RotaryEmbedding(8, layout="neox"),
        "scaling.*llama3.*got 'dynamic'": lambda: RotaryEmbedding(8, scaling="dynamic"),
        "factor.*1.*got 2.0": lambda: RotaryEmbedding(8, factor=2.0),
        r"x.*\(..., time, d_head=4\).*got \(3, 6\)": lambda: RotaryEmbedding(4)(
            torch.zeros(3, 6), torch.arange(3)
        ),
        "positions.*got a single number; add": lambda: RotaryEmbedding(4)(
            torch.zeros(1, 4), torch.tensor(3)
        ),
        r"positions.*\(3,\).*got \(2,\)": lambda: RotaryEmbedding(4)(
            torch.zeros(3, 4), torch.arange(2)
        ),
    },
    TypeError: {
        r"fraction.*got 'all' \(str\)": lambda: RotaryEmbedding(8, fraction="all"),
        "original_max_len.*got None": lambda: RotaryEmbedding(
            8, scaling="yarn", factor=2.0
        ),
        "x.*got torch.int64": lambda: RotaryEmbedding(4)(
            torch.zeros(3, 4).long(), torch.arange(3)
        ),
        "positions.*got torch.float32; convert": lambda: RotaryEmbedding(4)(
            torch.zeros(3, 4), torch.zeros(3)
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
