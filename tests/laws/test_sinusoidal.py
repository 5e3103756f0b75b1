"""The laws of the chapter on sinusoidal positions, for random sizes and positions."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from transformer.layers import sinusoidal_frequencies, sinusoidal_table

even_sizes = st.integers(1, 40).map(lambda pairs: 2 * pairs)
positions = st.integers(0, 4000)


@given(d_model=even_sizes, position=positions, offset=st.integers(-50, 50))
def test_a_shift_is_one_rotation_whatever_the_position(d_model, position, offset):
    position = max(position, -offset)
    table = sinusoidal_table(position + abs(offset) + 1, d_model)
    turn = sinusoidal_frequencies(d_model) * offset
    sine, cosine = table[position].unflatten(0, (-1, 2)).unbind(dim=-1)
    rotated = torch.stack(
        (
            sine * turn.cos() + cosine * turn.sin(),
            cosine * turn.cos() - sine * turn.sin(),
        ),
        dim=-1,
    )
    # angles up to 4,000 radians carry a rounding error of 4,000 x 1e-16
    assert_close(rotated.flatten(), table[position + offset], rtol=0, atol=1e-11)


@given(d_model=even_sizes, position=positions)
def test_the_squared_length_is_half_of_d_model(d_model, position):
    row = sinusoidal_table(position + 1, d_model)[position]
    assert math.isclose(row.square().sum().item(), d_model / 2, rel_tol=1e-12)


@given(d_model=even_sizes, first=positions, second=positions, k=st.integers(0, 50))
def test_the_dot_product_depends_on_the_offset_only(d_model, first, second, k):
    table = sinusoidal_table(4051, d_model)
    products = [(table[t] * table[t + k]).sum().item() for t in (first, second)]
    assert math.isclose(*products, abs_tol=1e-10 * d_model)
