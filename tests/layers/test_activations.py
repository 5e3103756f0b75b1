"""Activations bend each number by itself."""

import math
import sys
from statistics import NormalDist

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers.activations import ACT2FN

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    ACTIVATIONS,
    gelu,
    gelu_sigmoid,
    gelu_tanh,
    get_activation,
    identity,
    relu,
    sigmoid,
    silu,
    squared_relu,
    swish,
    tanh,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# float32: half a unit in the last place of numbers around 7 is 2e-7
SINGLE = {"rtol": 1e-5, "atol": 2e-6}

FORMULAS = {
    "relu": lambda x: torch.where(x > 0, x, torch.zeros_like(x)),
    "gelu": lambda x: x / 2 * (1 + torch.erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: (
        x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
    "gelu_sigmoid": lambda x: x / (1 + torch.exp(-1.702 * x)),
    "silu": lambda x: x / (1 + torch.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
    "squared_relu": lambda x: torch.where(x > 0, x * x, torch.zeros_like(x)),
    "identity": lambda x: 1 * x,
    "tanh": lambda x: 1 - 2 / (1 + torch.exp(2 * x)),
}
HUGGING_FACE = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_tanh": "gelu_new",
    "gelu_sigmoid": "quick_gelu",
    "silu": "silu",
    "sigmoid": "sigmoid",
    "squared_relu": "relu2",
    "identity": "linear",
    "tanh": "tanh",
}

numbers = st.floats(-30, 30)
each_name = facts("name", ACTIVATIONS)


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def value_and_slope(function, x):
    x = x.detach().clone().requires_grad_()
    y = function(x)
    y.sum().backward()
    return y.detach(), x.grad


def assert_same_function(ours, theirs, x, **tolerance):
    for came, expected in zip(
        value_and_slope(ours, x), value_and_slope(theirs, x), strict=True
    ):
        assert_close(came, expected, **tolerance)


# The equation by hand


@facts(
    "name, expected",
    [
        ("relu", [0, 0, 0, 0.5, 2]),
        ("gelu", [-0.04550, -0.15427, 0, 0.34573, 1.95450]),
        ("gelu_tanh", [-0.04540, -0.15429, 0, 0.34571, 1.95460]),
        ("gelu_sigmoid", [-0.06434, -0.14961, 0, 0.35039, 1.93566]),
        ("sigmoid", [0.11920, 0.37754, 0.5, 0.62246, 0.88080]),
        ("silu", [-0.23841, -0.18877, 0, 0.31123, 1.76159]),
        ("squared_relu", [0, 0, 0, 0.25, 4]),
        ("identity", [-2, -0.5, 0, 0.5, 2]),
        ("tanh", [-0.96403, -0.46212, 0, 0.46212, 0.96403]),
    ],
)
def test_the_table_of_the_book(name, expected):
    x = double(-2, -0.5, 0, 0.5, 2)
    five = {"rtol": 0, "atol": 5e-6}  # the expectations have five decimals
    assert_close(ACTIVATIONS[name](x), double(*expected), **five)


@each_name
@facts("dtype, tolerance", [(torch.float64, EXACT), (torch.float32, SINGLE)])
def test_the_library_computes_the_formula_and_its_slope(name, dtype, tolerance):
    x = torch.linspace(-7, 7, 998, dtype=dtype)  # never zero, where ReLU has a corner
    assert_same_function(ACTIVATIONS[name], FORMULAS[name], x, **tolerance)


def test_gelu_weights_by_the_normal_distribution_function():
    for x in (-2.5, -0.5, 0.3, 1.7):
        expected = x * NormalDist().cdf(x)
        assert math.isclose(gelu(double(x)).item(), expected, rel_tol=1e-12)


@facts(
    "function, where, lowest",
    [(gelu, -0.7518, -0.1700), (silu, -1.2785, -0.2785)],
)
def test_gelu_and_silu_dip_below_zero(function, where, lowest):
    x = torch.linspace(-5, 5, 100_001, dtype=torch.float64)
    y = function(x)
    assert abs(x[y.argmin()] - where) < 1e-4
    assert abs(y.min() - lowest) < 5e-5


@facts("function, where, steepest", [(gelu, 1.414, 1.129), (silu, 2.399, 1.100)])
def test_the_steepest_slopes_lie_above_one(function, where, steepest):
    x = torch.linspace(-5, 5, 100_001, dtype=torch.float64)
    _, slope = value_and_slope(function, x)
    assert abs(x[slope.argmax()] - where) < 1e-3
    assert abs(slope.max() - steepest) < 5e-4


def test_the_tail_of_gelu_dies_like_a_gaussian_that_of_silu_like_an_exponential():
    x = double(-2, -4, -6, -10)
    _, gelu_slope = value_and_slope(gelu, x)
    _, silu_slope = value_and_slope(silu, x)
    _, relu_slope = value_and_slope(relu, x)
    two_digits = {"rtol": 0.05, "atol": 0}
    assert_close(gelu_slope, double(-0.085, -5.0e-4, -3.5e-8, -7.7e-22), **two_digits)
    assert_close(silu_slope, double(-0.091, -0.053, -0.012, -4.1e-4), **two_digits)
    assert not relu_slope.any()


def test_how_far_the_approximations_of_gelu_are_off():
    x = torch.linspace(-8, 8, 100_001, dtype=torch.float64)
    assert abs((gelu(x) - gelu_tanh(x)).abs().max() - 4.7e-4) < 5e-6
    assert abs((gelu(x) - gelu_sigmoid(x)).abs().max() - 2.03e-2) < 5e-5
    assert_close(gelu_sigmoid(x), swish(x, beta=1.702), **EXACT)


# Swish


def test_swish_runs_from_a_line_to_the_relu():
    x = torch.linspace(-3, 3, 601, dtype=torch.float64)
    assert torch.equal(swish(x, beta=0.0), x / 2)
    assert_close(swish(x), silu(x), **EXACT)
    # at most about 0.28 / beta apart, the depth of the dip
    assert (swish(x, beta=1000.0) - relu(x)).abs().max() < 3e-4


@given(x=numbers, beta=st.floats(-5, 5))
@settings(max_examples=25)
def test_swish_is_a_scaled_silu(x, beta):
    scaled = silu(double(beta * x))
    assert_close(beta * swish(double(x), beta=beta), scaled, rtol=1e-9, atol=1e-12)


@facts("shape", [(), (1,), (5,)])
def test_beta_can_be_learned(shape):
    x = torch.randn(2, 3, 5, dtype=torch.float64)
    beta = torch.rand(shape, dtype=torch.float64, requires_grad=True)
    swish(x, beta=beta).sum().backward()
    gate = torch.sigmoid(beta.detach() * x)
    slopes = x * x * gate * (1 - gate)
    total = slopes.sum(dim=(0, 1)) if shape == (5,) else slopes.sum()
    assert_close(beta.grad, total.reshape(shape), **EXACT)


def test_the_largest_beta_makes_a_relu():
    x = double(-2, -0.5, 0, 0.5, 2)
    assert torch.equal(swish(x, beta=sys.float_info.max), relu(x))


# Shapes and dtypes


@each_name
@facts("shape", [(), (5,), (2, 3, 5), (0, 7)])
@facts("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_shape_and_dtype_stay(name, shape, dtype):
    y = ACTIVATIONS[name](torch.randn(shape).to(dtype))
    assert y.shape == shape
    assert y.dtype == dtype


@each_name
def test_the_input_stays_as_it_was(name):
    x = torch.randn(7)
    before = x.clone()
    ACTIVATIONS[name](x)
    assert torch.equal(x, before)


@each_name
def test_shapes_can_be_planned_without_memory(name):
    assert ACTIVATIONS[name](torch.empty(3, 5, device="meta")).shape == (3, 5)


@pytest.mark.compiled
def test_all_of_them_can_be_compiled_whole():

    def apply_all(x):
        return torch.stack([function(x) for function in ACTIVATIONS.values()])

    x = torch.randn(7)
    compiled = torch.compile(apply_all, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x), apply_all(x))


@each_name
def test_huge_numbers_stay_free_of_nan(name):
    x = torch.tensor([-1e4, 1e4])
    y, slope = value_and_slope(ACTIVATIONS[name], x)
    assert y.isfinite().all()
    assert slope.isfinite().all()


# Invariants


@given(x=numbers)
@settings(max_examples=25)
def test_mirror_laws(x):
    x = double(x)
    for function in (gelu, gelu_tanh, gelu_sigmoid, silu, relu, identity):
        mirrored = function(x) - function(-x)
        expected = 2 * x if function is identity else x
        assert_close(mirrored, expected, rtol=1e-12, atol=1e-12)
    assert_close(sigmoid(x) + sigmoid(-x), double(1.0)[0].expand_as(x), **EXACT)
    assert_close(tanh(x), 2 * sigmoid(2 * x) - 1, **EXACT)
    assert torch.equal(squared_relu(x), relu(x) * x.clamp(min=0))


@each_name
def test_each_number_is_bent_by_itself(name):
    x = torch.randn(7, 11, dtype=torch.float64)
    order = torch.randperm(77)
    function = ACTIVATIONS[name]
    shuffled = function(x.flatten()[order])
    assert_close(shuffled, function(x).flatten()[order], **EXACT)


def test_relu_makes_half_of_normal_numbers_exactly_zero_and_gelu_none():
    x = torch.randn(10_000)
    share = (relu(x) == 0).float().mean()
    assert abs(share - 0.5) < 0.025  # standard error 0.005
    assert not (gelu(x) == 0).any()


# The table of names


@each_name
def test_each_name_is_that_of_its_function(name):
    assert get_activation(name) is ACTIVATIONS[name]
    assert get_activation(name).__name__ == name


# Parity with Hugging Face


@each_name
@facts("dtype, tolerance", [(torch.float64, EXACT), (torch.float32, SINGLE)])
def test_parity_with_hugging_face(name, dtype, tolerance, parity):
    x = torch.linspace(-7, 7, 998, dtype=dtype)
    ours, theirs = ACTIVATIONS[name], ACT2FN[HUGGING_FACE[name]]
    (found, slope), (expected, their_slope) = (
        value_and_slope(function, x) for function in (ours, theirs)
    )
    parity(ours, theirs).values(found, expected, **tolerance)
    parity(ours, theirs).gradients(slope, their_slope, **tolerance)


# Errors

X = torch.zeros(3, 5)
BAD_INPUTS = {
    ValueError: {
        "activation.*got 'swiglu'.*'silu'..; choose": lambda: get_activation("swiglu"),
        "activation.*got <function relu": lambda: get_activation(relu),
        "beta.*got inf; pass": lambda: swish(X, beta=float("inf")),
        "beta.*got nan": lambda: swish(X, beta=float("nan")),
        r"beta.*\(3, 5\), got shape \(3,\); reshape": lambda: swish(
            X, beta=torch.ones(3)
        ),
    },
    TypeError: {
        "beta.*got torch.int64": lambda: swish(X, beta=torch.ones(5, dtype=torch.long)),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


@facts("function", (*ACTIVATIONS.values(), swish))
def test_what_holds_no_floating_point_numbers_is_refused(function, refuses):
    integers = torch.tensor([1, 2])
    refuses(lambda: function(integers), TypeError, "x.*got torch.int64; convert")
