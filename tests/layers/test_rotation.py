"""The arithmetic of turning pairs: two layouts, two ways to compute."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
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
    "positions of more heads than there are": (
        rotate(torch.zeros(2, 3, 5, dtype=torch.long), x=VECTORS[:, :1]),
        ValueError,
        r"positions must broadcast to \(2, 1, 5\), .* got \(2, 3, 5\)",
    ),
    "turns of integers": (
        rotate(torch.arange(5), torch.int64),
        TypeError,
        r"dtype must be a floating-point type, got torch.int64; pass one such as "
        r"torch.float32.$",
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
    "a number in the place of turns": (
        lambda: ROTARY.rotate(VECTORS, 3),
        TypeError,
        r"rotation must be a Rotation, got int; make one and pass it",
    ),
    "positions in the place of turns": (
        lambda: ROTARY.rotate(VECTORS, torch.arange(5)),
        TypeError,
        r"rotation must be a Rotation, got Tensor; make one",
    ),
    "turns of a wider head": (
        lambda: ROTARY.rotate(
            VECTORS, RotaryEmbedding(6).rotation(torch.arange(5), torch.float32)
        ),
        ValueError,
        r"rotation must turn d_rotary=4 features in the half layout, got 6 in the half "
        r"layout; make it with the method rotation of the same RotaryEmbedding",
    ),
    "turns of a share of the head": (
        lambda: ROTARY.rotate(
            VECTORS,
            RotaryEmbedding(4, fraction=0.5).rotation(torch.arange(5), torch.float32),
        ),
        ValueError,
        r"rotation must turn d_rotary=4 features in the half layout, got 2 in the half",
    ),
    "turns of the other layout": (
        lambda: ROTARY.rotate(
            VECTORS,
            RotaryEmbedding(4, layout="interleaved").rotation(
                torch.arange(5), torch.float32
            ),
        ),
        ValueError,
        r"rotation must turn d_rotary=4 features in the half layout, got 4 in the "
        r"interleaved layout; make it with",
    ),
    "pairs of an unknown layout": (
        pairs(layout="thirds"),
        ValueError,
        r"layout must be one of half, interleaved, got 'thirds'; choose one of them",
    ),
    "pairs of an odd number of features": (
        pairs(torch.zeros(5, 3)),
        ValueError,
        r"d_rotary must be even, .* got 3; choose 2 or 4",
    ),
    "pairs without a time axis": (
        pairs(torch.zeros(4)),
        ValueError,
        r"x must have shape \(..., time, d_rotary\), got \(4,\); put the features",
    ),
    "pairs of a single number": (
        pairs(torch.tensor(1.0)),
        ValueError,
        r"x must have shape \(..., time, d_rotary\), got \(\)",
    ),
    "pairs of integers": (
        pairs(torch.zeros(5, 4, dtype=torch.long)),
        TypeError,
        r"x must hold floating-point numbers, got torch.int64",
    ),
    "a number for the cosine": (
        pairs(cosine=1.0),
        TypeError,
        r"cosine must be a torch.Tensor, got float; convert it",
    ),
    "a cosine of other features": (
        pairs(cosine=torch.ones(5, 6)),
        ValueError,
        r"cosine must broadcast to \(2, 3, 5, 4\), with a row for each time step, got "
        r"\(5, 6\); for turns of each sequence write cosine\[:, None\]",
    ),
    "a sine of one row": (
        pairs(sine=torch.ones(1, 4)),
        ValueError,
        r"sine must broadcast to \(2, 3, 5, 4\), .* got \(1, 4\)",
    ),
    "a sine of each sequence without heads": (
        pairs(sine=torch.ones(2, 5, 4)),
        ValueError,
        r"sine must broadcast to \(2, 3, 5, 4\), .* got \(2, 5, 4\)",
    ),
    "a sine of another number of sequences": (
        pairs(VECTORS[0], sine=torch.ones(5, 5, 4)),
        ValueError,
        r"sine must broadcast to \(3, 5, 4\), .* got \(5, 5, 4\)",
    ),
    "a sine with too many axes": (
        pairs(sine=torch.ones(1, 2, 3, 5, 4)),
        ValueError,
        r"sine must broadcast to \(2, 3, 5, 4\), .* got \(1, 2, 3, 5, 4\)",
    ),
    "a sine of another dtype": (
        pairs(sine=COSINE.double()),
        TypeError,
        r"x and sine must have one dtype, got torch.float32 and torch.float64",
    ),
    "a cosine elsewhere": (
        pairs(cosine=COSINE.to("meta")),
        ValueError,
        r"x and cosine must be on one device, got cpu and meta",
    ),
    "phases of an odd number of features": (
        phases(torch.zeros(5, 3)),
        ValueError,
        r"d_rotary must be even, .* got 3; choose 2 or 4",
    ),
    "no phases": (
        phases(phase=None),
        TypeError,
        r"phase must be a Tensor, got NoneType; make one",
    ),
    "real phases": (
        phases(phase=torch.ones(5, 2)),
        TypeError,
        r"x and phase must be float32 and complex64, or float64 and complex128, got "
        r"torch.float32 and torch.float32; convert one",
    ),
    "phases of half precision": (
        phases(VECTORS.bfloat16()),
        TypeError,
        r"x and phase must be float32 and complex64, .* got torch.bfloat16 and",
    ),
    "phases elsewhere": (
        phases(phase=PHASE.to("meta")),
        ValueError,
        r"x and phase must be on one device, got cpu and meta; move one",
    ),
    "a phase for each feature": (
        phases(phase=torch.ones(5, 4, dtype=torch.complex64)),
        ValueError,
        r"phase must broadcast to \(2, 3, 5, 2\), .* got \(5, 4\)",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
