"""The laws of the chapter on rotary embedding, for random vectors and positions."""

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import (
    RotaryEmbedding,
    interleaved_to_half,
    rotary_frequencies,
)

# Angles of thousands of radians carry rounding errors of some 1e-13 each.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
LAYOUTS = st.sampled_from(["half", "interleaved"])
SIZES = st.sampled_from([2, 6, 14, 22])
PLACES = st.integers(0, 3000)
SEEDS = st.integers(0, 99)


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def matrix(rotary, position):
    """The rotation of a position as a matrix that acts on columns."""
    identity = torch.eye(rotary.d_head, dtype=torch.float64)
    return rotary(identity, torch.full((rotary.d_head,), position)).T


@given(layout=LAYOUTS, d=SIZES, first=PLACES, second=PLACES)
@settings(max_examples=25)
def test_turns_add_up_and_a_transposed_turn_turns_back(layout, d, first, second):
    rotary = RotaryEmbedding(d, layout=layout)
    product = matrix(rotary, first) @ matrix(rotary, second)
    assert_close(product, matrix(rotary, first + second), **EXACT)
    assert_close(matrix(rotary, first).T, matrix(rotary, -first), **EXACT)


@given(layout=LAYOUTS, d=SIZES, position=PLACES, seed=SEEDS)
@settings(max_examples=25)
def test_turns_keep_lengths(layout, d, position, seed):
    rotary, x = RotaryEmbedding(d, layout=layout), draw(seed, d)
    assert_close((matrix(rotary, position) @ x).norm(), x.norm(), **EXACT)


@given(layout=LAYOUTS, d=SIZES, t=PLACES, s=PLACES, seed=SEEDS)
@settings(max_examples=25)
def test_the_score_depends_on_the_difference_of_positions(layout, d, t, s, seed):
    rotary, (query, key) = RotaryEmbedding(d, layout=layout), draw(seed, 2, d)
    score = (matrix(rotary, t) @ query) @ (matrix(rotary, s) @ key)
    assert_close(score, query @ matrix(rotary, s - t) @ key, **EXACT)


@given(d=st.integers(1, 7), t=st.integers(0, 40), n=st.integers(0, 40), seed=SEEDS)
@settings(max_examples=25)
def test_powers_of_an_orthogonal_matrix_know_the_difference_only(d, t, n, seed):
    start = draw(seed, d, d)
    once, _ = torch.linalg.qr(start)  # turns planes, and keeps or negates what is left
    power = torch.linalg.matrix_power
    query, key = draw(seed + 100, 2, d)
    score = (power(once, t) @ query) @ (power(once, t + n) @ key)
    assert_close(score, query @ power(once, n) @ key, **EXACT)


@given(d=st.integers(2, 7), seed=SEEDS)
@settings(max_examples=25)
def test_a_matrix_that_is_not_orthogonal_knows_more(d, seed):
    query, key, once = draw(seed, d), draw(seed + 100, d), draw(seed + 200, d, d)
    assert not torch.isclose((once @ query) @ (once @ key), query @ key)


@facts("d", [4, 6])
def test_an_orthogonal_matrix_is_turns_of_planes_in_a_basis_of_its_own(d):
    start = draw(7, d, d)
    once = torch.linalg.matrix_exp(start - start.T)
    turns = torch.linalg.eigvals(once).angle()
    frequencies = turns[turns > 0].sort().values
    expected = torch.cat((-frequencies.flip(0), frequencies))
    assert_close(turns.sort().values, expected, **EXACT)
    assert len(frequencies) == d // 2


@given(d=SIZES, position=PLACES)
@settings(max_examples=25)
def test_the_layouts_are_one_up_to_a_permutation(d, position):
    order = torch.eye(d, dtype=torch.float64)[interleaved_to_half(d)]
    half = matrix(RotaryEmbedding(d, layout="half"), position)
    interleaved = matrix(RotaryEmbedding(d, layout="interleaved"), position)
    assert_close(half @ order, order @ interleaved, **EXACT)


@given(d=SIZES, offset=PLACES, seed=SEEDS)
@settings(max_examples=25)
def test_the_score_stays_below_its_bound(d, offset, seed):
    rotary, (query, key) = RotaryEmbedding(d, layout="interleaved"), draw(seed, 2, d)
    score = query @ matrix(rotary, offset) @ key
    query, key = (torch.view_as_complex(x.view(-1, 2)) for x in (query, key))
    products = torch.cat((query.conj() * key, torch.zeros(1, dtype=query.dtype)))
    angles = offset * rotary_frequencies(d)
    sums = torch.polar(torch.ones_like(angles), angles).cumsum(0)
    bound = products.diff().abs().max() * sums.abs().sum()
    assert score.abs() <= bound + 1e-9


@facts("offset", [0, 1, 16, 256])
def test_scores_of_random_vectors_keep_their_distribution(offset):
    """Mean 0, variance d, and the share of a normal distribution beyond its root."""
    d, count = 22, 20_000
    rotary, (query, keys) = RotaryEmbedding(d), (draw(1, d), draw(2, count, d))
    query = query / query.norm()
    scores = keys @ matrix(rotary, offset).T @ query  # normal: the query has length 1
    noise = 4 / math.sqrt(count)  # four standard errors
    assert abs(scores.mean()) < noise
    assert abs(scores.var() - 1) < math.sqrt(2) * noise
    assert abs((scores.abs() > 1).double().mean() - 0.3173) < 0.5 * noise
