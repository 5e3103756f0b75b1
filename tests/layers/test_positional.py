"""Positions that are added to the input: sinusoids and a learned table."""

import math
from copy import deepcopy

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close
from transformers import MarianConfig
from transformers.models.marian.modeling_marian import (
    MarianSinusoidalPositionalEmbedding,
)

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    LearnedPositionalEmbedding,
    PositionalEncoding,
    sinusoidal_frequencies,
    sinusoidal_table,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
FOUR_DECIMALS = {"rtol": 0, "atol": 5e-5}

even_sizes = st.integers(1, 40).map(lambda pairs: 2 * pairs)
positions = st.integers(0, 4000)


# The equation by hand


def test_the_worked_examples_of_the_book():
    four = [
        [0, 1, 0, 1],
        [0.8415, 0.5403, 0.0100, 1.0000],
        [0.9093, -0.4161, 0.0200, 0.9998],
        [0.1411, -0.9900, 0.0300, 0.9996],
    ]
    eight = [0.8415, 0.5403, 0.0998, 0.9950, 0.0100, 1.0000, 0.0010, 1.0000]
    expected = torch.tensor(four, dtype=torch.float64)
    assert_close(sinusoidal_table(4, 4), expected, **FOUR_DECIMALS)
    expected = torch.tensor(eight, dtype=torch.float64)
    assert_close(sinusoidal_table(2, 8)[1], expected, **FOUR_DECIMALS)


def test_the_formula_written_as_loops():
    table = sinusoidal_table(11, 14)
    for position in range(11):
        for i in range(7):
            angle = position / 10_000 ** (2 * i / 14)
            assert math.isclose(table[position, 2 * i], math.sin(angle), abs_tol=1e-12)
            assert math.isclose(
                table[position, 2 * i + 1], math.cos(angle), abs_tol=1e-12
            )


def test_frequencies_fall_from_one_in_a_geometric_series():
    frequencies = sinusoidal_frequencies(8)
    expected = torch.tensor([1, 0.1, 0.01, 0.001], dtype=torch.float64)
    assert_close(frequencies, expected, **EXACT)


def test_the_longest_wavelength_stays_below_the_one_often_quoted():
    longest = 2 * math.pi / sinusoidal_frequencies(512)[-1]
    assert round(longest.item()) == 60_611
    assert longest < 2 * math.pi * 10_000


def test_encoding_is_added_to_the_input():
    x = torch.tensor([[0.5, 0.3, 0.8, 0.1]])
    encoded = PositionalEncoding(4)(x, start=1)
    expected = torch.tensor([[1.3415, 0.8403, 0.8100, 1.1000]])  # cos 0.01 = 0.99995
    assert_close(encoded, expected, rtol=0, atol=1e-4)


# Shapes


@facts("leading", [(), (2,), (2, 3)])
@facts("layer", [PositionalEncoding, LearnedPositionalEmbedding])
def test_the_shape_stays(layer, leading):
    x = torch.randn(*leading, 5, 14)
    assert layer(14, max_len=7)(x).shape == x.shape


@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_dtype_of_the_input_stays(dtype):
    x = torch.zeros(5, 14, dtype=dtype)
    assert PositionalEncoding(14)(x).dtype == dtype


def test_the_table_moves_with_the_module_but_is_neither_saved_nor_trained():
    layer = PositionalEncoding(14, max_len=7)
    assert not layer.state_dict()
    assert not list(layer.parameters())
    assert layer.to("meta").table.device.type == "meta"


# Invariants


@given(start=st.integers(0, 20), length=st.integers(1, 20))
def test_start_continues_where_the_last_call_ended(start, length):
    layer = PositionalEncoding(6, max_len=40)
    x = torch.randn(40, 6)
    piece = layer(x[start : start + length], start=start)
    assert torch.equal(piece, layer(x)[start : start + length])


def test_learned_rows_are_added_from_start_on():
    layer = LearnedPositionalEmbedding(6, max_len=11)
    x = torch.randn(2, 5, 6)
    expected = x + layer.embedding.weight[3:8]
    assert torch.equal(layer(x, start=3), expected)


def test_only_visited_learned_rows_get_gradient():
    layer = LearnedPositionalEmbedding(3, max_len=7)
    layer(torch.zeros(2, 5, 3)).sum().backward()
    expected = torch.tensor([2.0] * 5 + [0.0] * 2)[:, None].expand(7, 3)
    assert torch.equal(layer.embedding.weight.grad, expected)


def test_dropout_acts_on_the_sum_and_in_training_only():
    layer = PositionalEncoding(100, dropout=0.5)
    x = torch.full((50, 100), 3.0)
    dropped = layer(x)
    share = (dropped == 0).float().mean()
    assert abs(share - 0.5) < 0.05  # 5,000 draws: standard error 0.007
    kept = dropped != 0
    assert_close(dropped[kept], 2 * layer.eval()(x)[kept])
    assert torch.equal(layer(x), layer(x))


def test_the_table_is_exact_when_the_default_dtype_is_float64():
    torch.set_default_dtype(torch.float64)
    try:
        table = PositionalEncoding(14, max_len=11).table
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(table, sinusoidal_table(11, 14))


def test_learned_rows_start_small():
    weight = LearnedPositionalEmbedding(64, max_len=1000).embedding.weight
    # 64,000 draws: the standard error of the deviation is 0.3 % of it
    assert abs(weight.std() - 0.02) < 0.0004


def test_rounding_comes_last():
    exact = sinusoidal_table(5000, 512)
    table = PositionalEncoding(512).table
    assert table.dtype == torch.float32
    # half a unit in the last place of numbers up to 1
    assert (table.double() - exact).abs().max() <= 2**-24


# Parity with Hugging Face


def test_parity_with_hugging_face_marian(parity):
    config = MarianConfig(d_model=14, max_position_embeddings=11)
    theirs = MarianSinusoidalPositionalEmbedding(11, config.d_model)
    stored = theirs.create_weight()  # all sines, then all cosines
    table = sinusoidal_table(11, 14)
    ours = torch.cat((table[:, 0::2], table[:, 1::2]), dim=1)
    parity(sinusoidal_table, theirs).values(ours.float(), stored, rtol=0, atol=1e-6)


# Errors

BAD_INPUTS = {
    ValueError: {
        "d_model.*got 5; choose": lambda: PositionalEncoding(5),
        "d_model.*at least 2.*got 0": lambda: sinusoidal_frequencies(0),
        "base.*above 1.*got -1": lambda: sinusoidal_frequencies(4, base=-1.0),
        "base.*above 1.*got 0.5; pass": lambda: sinusoidal_frequencies(4, base=0.5),
        "base.*above 1.*got inf": lambda: sinusoidal_table(3, 4, base=float("inf")),
        "length.*at least 1.*got 0": lambda: sinusoidal_table(0, 4),
        "max_len.*at least 1.*got 0": lambda: LearnedPositionalEmbedding(4, max_len=0),
        "dropout.*at least 0.*below 1.*got 1.5": lambda: PositionalEncoding(
            4, dropout=1.5
        ),
        "positions.*below max_len=7.*got 8 positions from 0 on; shorten": lambda: (
            PositionalEncoding(4, max_len=7)(torch.zeros(8, 4))
        ),
        "positions.*below max_len=7.*got 3 positions from 5 on": lambda: (
            LearnedPositionalEmbedding(4, max_len=7)(torch.zeros(3, 4), start=5)
        ),
        "start.*at least 0.*got -1": lambda: PositionalEncoding(4)(
            torch.zeros(3, 4), start=-1
        ),
        r"x.*\(..., time, d_model=4\).*got \(3, 5\); put": lambda: (
            LearnedPositionalEmbedding(4, max_len=7)(torch.zeros(3, 5))
        ),
        r"x.*\(..., time, d_model=4\).*got \(4,\)": lambda: PositionalEncoding(4)(
            torch.zeros(4)
        ),
    },
    TypeError: {
        "x.*got torch.complex64; take": lambda: PositionalEncoding(4)(
            torch.zeros(3, 4, dtype=torch.complex64)
        ),
        r"max_len.*got '9' \(str\)": lambda: PositionalEncoding(4, max_len="9"),
        "x.*got torch.int64": lambda: PositionalEncoding(4)(
            torch.zeros(3, 4, dtype=torch.long)
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


MOVES = {
    "meta": lambda layer: layer.to("meta").to_empty(device="cpu"),
    "bfloat16": lambda layer: layer.bfloat16().float(),
    "half": lambda layer: layer.half().float(),
    "copy": deepcopy,
}


@facts("move", MOVES.values(), ids=[*MOVES])
def test_what_is_done_to_a_module_leaves_its_table_exact(move):
    expected = PositionalEncoding(14, max_len=11).table
    assert torch.equal(move(PositionalEncoding(14, max_len=11)).table, expected)


def test_in_float64_the_table_is_that_of_the_formula():
    table = PositionalEncoding(14, max_len=11).double().table
    assert torch.equal(table, sinusoidal_table(11, 14))
