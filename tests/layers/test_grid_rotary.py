"""Rotary positions on a grid: rows turn one half of the pairs, columns the other."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import GridRotaryEmbedding, RotaryEmbedding
from transformer.layers.rotation import PARTNERS, interleaved_to_half

# Rotations in float64.
EXACT = {"rtol": 1e-12, "atol": 1e-12}
EACH_LAYOUT = facts("layout", PARTNERS)


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def test_four_features_by_hand():
    """The patch in row 1 and column 2; both frequencies are 1."""
    turn = GridRotaryEmbedding(4, columns=3, layout="interleaved")
    x = torch.tensor([[1.0, 0, 1, 0]], dtype=torch.float64)
    found = turn(x, torch.tensor([5]))
    expected = [[math.cos(1), math.sin(1), math.cos(2), math.sin(2)]]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), **EXACT)


def test_the_second_frequency_is_a_power_of_the_base():
    turn = GridRotaryEmbedding(8, columns=1, layout="interleaved", base=100.0)
    x = torch.tensor([[0.0, 0, 1, 0, 0, 0, 1, 0]], dtype=torch.float64)
    found = turn(x, torch.tensor([3]))[0]
    angle = 3 * 100**-0.5
    expected = [0, 0, math.cos(angle), math.sin(angle), 0, 0, 1, 0]
    assert_close(found, torch.tensor(expected, dtype=torch.float64), **EXACT)


@EACH_LAYOUT
def test_one_row_turns_as_texts_do_in_half_of_the_pairs(layout):
    """And one column, which the other half of the pairs sees."""
    x, positions = random(2, 7, 12), torch.arange(7)
    order = torch.arange(12)
    if layout == "half":
        order = interleaved_to_half(12).argsort()
    text = RotaryEmbedding(6, base=100.0, layout="interleaved")
    for columns, pairs in ((7, slice(6, 12)), (1, slice(0, 6))):
        turn = GridRotaryEmbedding(12, columns=columns, layout=layout)
        found, before = turn(x, positions)[..., order], x[..., order]
        expected = before.clone()
        expected[..., pairs] = text(before[..., pairs], positions)
        assert_close(found, expected, **EXACT)


@EACH_LAYOUT
@given(seed=st.integers(0, 99), moved=st.tuples(*[st.integers(0, 3)] * 2))
def test_scores_depend_on_rows_and_columns_in_between_alone(layout, seed, moved):
    torch.manual_seed(seed)
    turn = GridRotaryEmbedding(8, columns=7, layout=layout)
    query, key = random(1, 8), random(1, 8)

    def score(down, right):
        asks = (2 + down) * 7 + 1 + right
        asked = (0 + down) * 7 + 3 + right
        turned = turn(query, torch.tensor([asks])), turn(key, torch.tensor([asked]))
        return (turned[0] * turned[1]).sum()

    assert_close(score(*moved), score(0, 0), **EXACT)


def test_lengths_stay_and_what_comes_before_the_patches_is_not_turned():
    x, turn = random(3, 5, 7, 12), GridRotaryEmbedding(12, columns=2, first=1)
    found = turn(x, torch.arange(7))
    assert_close(found.norm(dim=-1), x.norm(dim=-1), **EXACT)
    assert torch.equal(found[..., :2, :], x[..., :2, :])  # the token, and patch (0, 0)
    assert not torch.isclose(found[..., 2, :], x[..., 2, :]).all()


def test_turns_that_are_made_before_are_the_same():
    x, turn = random(2, 6, 8), GridRotaryEmbedding(8, columns=3)
    positions = torch.arange(6)
    turned = turn.rotate(x, turn.rotation(positions, x.dtype))
    assert torch.equal(turned, turn(x, positions))


BAD_INPUTS = {
    "three quarters of two pairs": (
        lambda: GridRotaryEmbedding(6, columns=2),
        ValueError,
        "must divide d_head, got d_head=6",
    ),
    "no columns": (
        lambda: GridRotaryEmbedding(8, columns=0),
        ValueError,
        "columns.*at least 1.*got 0",
    ),
    "fewer than none before": (
        lambda: GridRotaryEmbedding(8, columns=2, first=-1),
        ValueError,
        "first.*at least 0.*got -1",
    ),
    "another layout": (
        lambda: GridRotaryEmbedding(8, columns=2, layout="pairs"),
        ValueError,
        "layout.*got 'pairs'",
    ),
    "a base of one": (
        lambda: GridRotaryEmbedding(8, columns=2, base=1.0),
        ValueError,
        "base.*above 1.*got 1",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
