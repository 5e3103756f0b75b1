"""The laws of the chapter on activations, for random numbers, gates and factors."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    gelu,
    gelu_tanh,
    identity,
    relu,
    sigmoid,
    silu,
    squared_relu,
    swish,
    tanh,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
GATED = (relu, gelu, gelu_tanh, silu)
numbers = st.floats(-30, 30)
factors = st.floats(0.01, 100)


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def slope(function, x):
    x = double(x).requires_grad_()
    function(x).sum().backward()
    return x.grad.item()


@facts("function", GATED)
@given(x=numbers)
@settings(max_examples=25)
def test_each_gate_splits_the_identity(function, x):
    x = double(x)
    assert_close(function(x) - function(-x), x, **EXACT)
    even = function(x) - x / 2
    assert_close(even, function(-x) + x / 2, **EXACT)


@given(x=numbers, beta=st.floats(-5, 5))
@settings(max_examples=25)
def test_swish_splits_the_identity_for_every_beta(x, beta):
    x = double(x)
    assert_close(swish(x, beta=beta) - swish(-x, beta=beta), x, **EXACT)


@given(x=numbers, c=factors, a=numbers, b=numbers)
@settings(max_examples=25)
def test_functions_that_are_straight_on_both_sides_let_a_factor_pass(x, c, a, b):
    x = double(x)

    def bent(x):
        return a * relu(x) + b * relu(-x)

    assert_close(bent(c * x), c * bent(x), rtol=1e-9, atol=1e-9)


@facts("function", [gelu, silu, tanh, sigmoid, squared_relu])
@given(c=st.floats(1.5, 10))
@settings(max_examples=25)
def test_no_curved_function_lets_a_factor_pass(function, c):
    x = double(1.0)
    assert not torch.allclose(function(c * x), c * function(x), rtol=1e-3)


@given(x=numbers, c=factors)
@settings(max_examples=25)
def test_squared_relu_lets_a_factor_pass_squared(x, c):
    x = double(x)
    assert_close(squared_relu(c * x), c * c * squared_relu(x), **EXACT)
    assert_close(identity(c * x), c * identity(x), **EXACT)


@given(x=st.floats(-12, -1.001))
@settings(max_examples=50)
def test_the_tail_of_gelu_lies_between_its_bounds(x):
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    cdf = math.erfc(-x / math.sqrt(2)) / 2  # without the cancellation of 1 + erf
    ratio = 1 + cdf / (x * density)
    assert 1 - x**-2 < ratio < 1
    # float64 rounds 1 + erf at 1e-16
    assert abs(slope(gelu, x) - x * density * ratio) < 1e-15


@given(x=st.floats(-30, -1.001))
@settings(max_examples=50)
def test_the_tail_of_silu_lies_between_its_bounds(x):
    ratio = slope(silu, x) / (x * math.exp(x))
    assert 1 - 1 / abs(x) - 2 * math.exp(x) < ratio < 1


def test_the_lowest_value_of_silu_is_its_place_plus_one():
    place = -1.0
    for _ in range(60):
        place = -(1 + math.exp(place))
    assert slope(silu, place) == pytest.approx(0, abs=1e-12)
    assert silu(double(place)).item() == pytest.approx(1 + place, abs=1e-12)


def test_gelu_is_steepest_at_the_root_of_two():
    steepest = slope(gelu, math.sqrt(2))
    for step in (1e-3, 1e-2, 0.1):
        assert slope(gelu, math.sqrt(2) + step) < steepest
        assert slope(gelu, math.sqrt(2) - step) < steepest
