"""The arithmetic of turning pairs: two layouts, two ways to compute."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

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
    return torch.cat((x.new_zeros(1), x.flatten()))[1:].view_as(x)


def spread(x):
    return torch.stack((x, x), dim=-1)[..., 0]


def time_first(x):
    return x.transpose(1, 2).contiguous().transpose(1, 2)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("arrange", [odd_steps, odd_start, spread, time_first])
def test_the_order_in_memory_does_not_matter(arrange, layout):
    rotary = RotaryEmbedding(6, layout=layout)
    x, positions = torch.randn(2, 3, 5, 6), torch.arange(5)
    assert torch.equal(arrange(x), x)
    assert_close(rotary(arrange(x), positions), rotary(x, positions), **FLOAT32)


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


BAD_INPUTS = {
    "an odd number of features": (
        lambda: interleaved_to_half(5),
        ValueError,
        r"d_rotary must be even, because features come in pairs, got 5; choose 4 or 6",
    ),
    "turns of another dtype": (
        rotate(torch.arange(5), torch.float64),
        TypeError,
        r"x and the rotation must have one dtype, got torch.float32 and torch.float64; "
        r"make the rotation with dtype=torch.float32",
    ),
    "turns elsewhere": (
        rotate(torch.arange(5, device="meta")),
        ValueError,
        r"x and positions must be on one device, got cpu and meta; move one",
    ),
    "too few positions": (
        rotate(torch.arange(1)),
        ValueError,
        r"positions must broadcast to \(2, 3, 5\), with a position for each time step, "
        r"got \(1,\); for positions of each sequence write positions\[:, None\]",
    ),
    "positions of each sequence without heads": (
        rotate(torch.zeros(2, 5, dtype=torch.long)),
        ValueError,
        r"positions must broadcast to \(2, 3, 5\), .* got \(2, 5\)",
    ),
    "positions with too many axes": (
        rotate(torch.zeros(1, 2, 3, 5, dtype=torch.long)),
        ValueError,
        r"positions must broadcast to \(2, 3, 5\), .* got \(1, 2, 3, 5\)",
    ),
    "turns of integers": (
        rotate(torch.arange(5), torch.int64),
        TypeError,
        r"dtype must be a floating-point type, got torch.int64; pass one such as",
    ),
    "turns of text": (
        rotate(torch.arange(5), "float32"),
        TypeError,
        r"dtype must be a floating-point type, got 'float32'",
    ),
    "vectors of another head": (
        rotate(torch.arange(5), x=torch.zeros(5, 6)),
        ValueError,
        r"x must have shape \(..., time, d_head=4\), got \(5, 6\); put the features",
    ),
}


@pytest.mark.parametrize("case", BAD_INPUTS.values(), ids=BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
