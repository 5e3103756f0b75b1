"""The laws of the chapter on residual connections, for random inputs."""

import itertools

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.autograd.functional import jacobian
from torch.testing import assert_close

from transformer.layers import ResidualConnection

EXACT = {"rtol": 1e-8, "atol": 1e-8}


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@given(seed=st.integers(0, 99), count=st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_the_derivative_of_a_residual_stack_is_a_sum_over_paths(seed, count):
    residual = ResidualConnection(nn.Identity(), placement="pre")
    weights, x = draw(seed, count, 3, 3), draw(seed + 1, 3)

    def stack(z, of=range(count)):
        for n in of:
            z = residual(z, lambda y, n=n: (y @ weights[n]).tanh())
        return z

    before = [stack(x, range(n)) for n in range(count)]
    parts = [
        jacobian(lambda y, n=n: (y @ weights[n]).tanh(), before[n])
        for n in range(count)
    ]
    total, paths = torch.zeros(3, 3, dtype=torch.float64), 0
    for through in itertools.product((False, True), repeat=count):
        term = torch.eye(3, dtype=torch.float64)
        for part, taken in zip(parts, through, strict=True):
            term = part @ term if taken else term
        total, paths = total + term, paths + 1
    assert paths == 2**count
    assert_close(jacobian(stack, x), total, **EXACT)


@given(seed=st.integers(0, 99), count=st.integers(1, 7))
@settings(max_examples=25, deadline=None)
def test_the_stream_is_a_ledger(seed, count):
    residual = ResidualConnection(nn.Identity(), placement="pre")
    weights, start, reader = (
        draw(seed, count, 3, 3),
        draw(seed, 3),
        draw(seed + 1, 2, 3),
    )
    entries, x = [start], start
    for weight in weights:
        entries.append(residual.change(x, lambda y, w=weight: (y @ w).tanh()))
        x = residual(x, lambda y, w=weight: (y @ w).tanh())
    assert_close(x, sum(entries), **EXACT)
    assert_close(reader @ x, sum(reader @ entry for entry in entries), **EXACT)
