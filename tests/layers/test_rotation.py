"""The arithmetic of turning pairs: two layouts, two ways to compute."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    RotaryEmbedding,
    interleaved_to_half,
    rotate_pairs,
    rotate_phases,
)

EXACT = {"rtol": 0, "atol": 1e-12}
FLOAT32 = {"rtol": 0, "atol": 1e-6}  # a fused multiply-add rounds once less

even_sizes = st.integers(1, 20).map(lambda pairs: 2 * pairs)


def turns(d_rotary, time=5, **settings):
    rotary = RotaryEmbedding(d_rotary, **settings)
    return rotary.rotation(torch.arange(time), torch.float64)


def gradients(function, *inputs):
    inputs = [x.detach().requires_grad_() for x in inputs]
    result = function(*inputs)
    direction = torch.linspace(-1, 1, result.numel()).view_as(result).to(result)
    return result.detach(), torch.autograd.grad(result, inputs, direction)


# The equation by hand


def test_a_quarter_turn_by_hand():
    cosine = torch.zeros(1, 4, dtype=torch.float64)
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0]]).double()
    first, second = -torch.ones(2), torch.ones(2)
    sine = torch.cat((first, second)).double()[None]
    half = rotate_pairs(x, cosine, sine, layout="half")
    assert half.tolist() == [[-3, -4, 1, 2]]
    sine = torch.stack((first, second), dim=1).flatten().double()[None]
    interleaved = rotate_pairs(x, cosine, sine, layout="interleaved")
    assert interleaved.tolist() == [[-2, 1, -4, 3]]


def test_the_order_from_interleaved_to_half():
    assert interleaved_to_half(8).tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


# Invariants


@given(d_rotary=even_sizes)
@settings(max_examples=25)
def test_the_layouts_differ_by_one_order_of_the_features(d_rotary):
    order = interleaved_to_half(d_rotary)
    x = torch.randn(2, 3, 5, d_rotary, dtype=torch.float64)
    positions = torch.arange(5)
    interleaved = RotaryEmbedding(d_rotary, layout="interleaved")(x, positions)
    half = RotaryEmbedding(d_rotary, layout="half")(x[..., order], positions)
    assert_close(interleaved[..., order], half, **EXACT)


def test_reordered_projections_give_the_same_scores():
    order, positions = interleaved_to_half(6), torch.arange(5)
    x = torch.randn(5, 7, dtype=torch.float64)
    weights = torch.randn(
        2, 6, 7, dtype=torch.float64
    )  # (query | key, d_head, d_model)
    interleaved = RotaryEmbedding(6, layout="interleaved")
    query, key = (interleaved(x @ w.T, positions) for w in weights)
    half = RotaryEmbedding(6, layout="half")
    query_half, key_half = (half(x @ w[order].T, positions) for w in weights)
    assert_close(query @ key.T, query_half @ key_half.T, **EXACT)


def test_mixing_the_layouts_changes_the_vectors():
    x, positions = torch.randn(5, 8), torch.arange(5)
    one, other = (RotaryEmbedding(8, layout=n) for n in ("half", "interleaved"))
    assert torch.equal(one(x, positions)[0], other(x, positions)[0])
    assert (one(x, positions) - other(x, positions))[1:].abs().amax() > 0.5


@given(d_rotary=even_sizes, scaling=st.sampled_from(["none", "linear", "ntk"]))
@settings(max_examples=25)
def test_complex_numbers_and_the_formula_agree_with_their_gradients(d_rotary, scaling):
    factor = 1.0 if scaling == "none" else 3.0
    cosine, sine, phase = turns(
        d_rotary, layout="interleaved", scaling=scaling, factor=factor
    )
    x = torch.randn(2, 3, 5, d_rotary, dtype=torch.float64)
    formula = gradients(
        lambda x: rotate_pairs(x, cosine, sine, layout="interleaved"), x
    )
    assert_close(gradients(lambda x: rotate_phases(x, phase), x), formula, **EXACT)


def test_only_neighbors_have_phases():
    assert turns(8, layout="half").phase is None
    assert turns(8, layout="interleaved").phase.shape == (5, 4)


def odd_steps(x):
    return torch.cat((x, x[..., :1]), dim=-1)[..., : x.size(-1)]


def odd_start(x):
    return torch.cat((x.new_zeros(3), x.flatten()))[3:].view_as(x)


def spread(x):
    return torch.stack((x, x), dim=-1)[..., 0]


def time_first(x):
    return x.transpose(1, 2).contiguous().transpose(1, 2)


@facts("layout", ["half", "interleaved"])
@facts("arrange", [odd_steps, odd_start, spread, time_first])
def test_the_order_in_memory_does_not_matter(arrange, layout):
    rotary = RotaryEmbedding(6, layout=layout)
    x, positions = torch.randn(2, 3, 5, 6), torch.arange(5)
    assert torch.equal(arrange(x), x)
    assert_close(rotary(arrange(x), positions), rotary(x, positions), **FLOAT32)


@facts("arrange", [odd_steps, odd_start, spread, time_first])
def test_phases_turn_vectors_in_any_order_in_memory(arrange):
    x, phase = torch.randn(2, 3, 5, 6).double(), turns(6, layout="interleaved").phase
    expected = rotate_phases(x, phase)
    assert_close(rotate_phases(arrange(x), phase), expected, **EXACT)


@facts("leading", [(), (1,), (2, 1), (2, 3)])
def test_turns_of_fewer_axes_are_repeated(leading):
    x, (cosine, sine, phase) = torch.randn(2, 3, 5, 6), turns(6, layout="interleaved")
    cosine, sine, phase = (t.expand(*leading, *t.shape) for t in (cosine, sine, phase))
    expected = RotaryEmbedding(6, layout="interleaved")(x.double(), torch.arange(5))
    came = rotate_pairs(x.double(), cosine, sine, layout="interleaved")
    assert_close(came, expected, **EXACT)
    assert_close(rotate_phases(x.double(), phase), expected, **EXACT)


@pytest.mark.compiled
def test_both_functions_can_be_compiled_whole():
    x, (cosine, sine, phase) = (
        torch.randn(5, 6).double(),
        turns(6, layout="interleaved"),
    )

    def both(x):
        pairs = rotate_pairs(x, cosine, sine, layout="interleaved")
        return pairs, rotate_phases(x, phase)

    compiled = torch.compile(both, backend="eager", fullgraph=True)
    assert_close(compiled(x), both(x), **EXACT)


@pytest.mark.compiled
@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_turns_made_outside_can_be_used_in_compiled_code(layout, backend):
    rotary = RotaryEmbedding(6, layout=layout)
    x = torch.randn(2, 3, 5, 6)
    rotation = rotary.rotation(torch.arange(5), x.dtype)
    compiled = torch.compile(rotary.rotate, backend=backend, fullgraph=True)
    assert_close(compiled(x, rotation), rotary.rotate(x, rotation), **FLOAT32)


# Errors

VECTORS = torch.zeros(2, 3, 5, 4)
ROTARY = RotaryEmbedding(4)


def rotate(positions, dtype=torch.float32, x=VECTORS):
    return lambda: ROTARY.rotate(x, ROTARY.rotation(positions, dtype))


COSINE, PHASE = torch.ones(5, 4), torch.ones(5, 2, dtype=torch.complex64)


def pairs(x=VECTORS, cosine=COSINE, sine=COSINE, layout="half"):
    return lambda: rotate_pairs(x, cosine, sine, layout=layout)


def phases(x=VECTORS, phase=PHASE):
    return lambda: rotate_phases(x, phase)


BAD_INPUTS = {
    ValueError: {
        "d_rotary.*got 5; choose": lambda: interleaved_to_half(5),
        r"positions.*\(2, 3, 5\).*got \(1,\); for": rotate(torch.arange(1)),
        r"positions.*\(2, 3, 5\).*got \(2, 5\)": rotate(
            torch.zeros(2, 5, dtype=torch.long)
        ),
        r"positions.*\(2, 3, 5\).*got \(1, 2, 3, 5\)": rotate(
            torch.zeros(1, 2, 3, 5, dtype=torch.long)
        ),
        r"positions.*\(2, 1, 5\).*got \(2, 3, 5\)": rotate(
            torch.zeros(2, 3, 5, dtype=torch.long), x=VECTORS[:, :1]
        ),
        r"x.*\(..., time, d_head=4\).*got \(5, 6\); put": rotate(
            torch.arange(5), x=torch.zeros(5, 6)
        ),
        "rotation.*d_rotary=4.*got 6 in the half layout; make": lambda: ROTARY.rotate(
            VECTORS, RotaryEmbedding(6).rotation(torch.arange(5), torch.float32)
        ),
        "rotation.*d_rotary=4.*got 2 in the half": lambda: ROTARY.rotate(
            VECTORS,
            RotaryEmbedding(4, fraction=0.5).rotation(torch.arange(5), torch.float32),
        ),
        "rotation.*d_rotary=4.*got 4 in the interleaved layout; make": lambda: (
            ROTARY.rotate(
                VECTORS,
                RotaryEmbedding(4, layout="interleaved").rotation(
                    torch.arange(5), torch.float32
                ),
            )
        ),
        "layout.*got 'thirds'; choose": pairs(layout="thirds"),
        "d_rotary.*got 3; choose": pairs(torch.zeros(5, 3)),
        r"x.*\(..., time, d_rotary\).*got \(4,\); put": pairs(torch.zeros(4)),
        r"x.*\(..., time, d_rotary\).*got \(\)": pairs(torch.tensor(1.0)),
        r"cosine.*\(2, 3, 5, 4\).*got \(5, 6\); for": pairs(cosine=torch.ones(5, 6)),
        r"sine.*\(2, 3, 5, 4\).*got \(1, 4\)": pairs(sine=torch.ones(1, 4)),
        r"sine.*\(2, 3, 5, 4\).*got \(2, 5, 4\)": pairs(sine=torch.ones(2, 5, 4)),
        r"sine.*\(3, 5, 4\).*got \(5, 5, 4\)": pairs(
            VECTORS[0], sine=torch.ones(5, 5, 4)
        ),
        r"sine.*\(2, 3, 5, 4\).*got \(1, 2, 3, 5, 4\)": pairs(
            sine=torch.ones(1, 2, 3, 5, 4)
        ),
        "d_rotary must.*got 3; choose": phases(torch.zeros(5, 3)),
        r"phase.*\(2, 3, 5, 2\).*got \(5, 4\)": phases(
            phase=torch.ones(5, 4, dtype=torch.complex64)
        ),
    },
    TypeError: {
        "x and the rotation.*got torch.float32 and torch.float64; make": rotate(
            torch.arange(5), torch.float64
        ),
        "dtype.*got torch.int64; pass": rotate(torch.arange(5), torch.int64),
        "dtype.*got 'float32'": rotate(torch.arange(5), "float32"),
        "x.*got torch.int64": pairs(torch.zeros(5, 4, dtype=torch.long)),
        "x and phase.*got torch.float32 and torch.float32; convert": phases(
            phase=torch.ones(5, 2)
        ),
        "x and phase.*float32.*complex64.*got torch.bfloat16 and": phases(
            VECTORS.bfloat16()
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
