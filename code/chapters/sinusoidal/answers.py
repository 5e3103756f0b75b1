"""Properties of the answers to the exercises on the sinusoidal encoding."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from chapters.calls import calls
from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.regions import Band, every
from transformer.layers import sinusoidal_frequencies, sinusoidal_table


def halves(table: Tensor) -> Tensor:
    """Return a table with all sines first and then all cosines."""
    return torch.cat((table[:, 0::2], table[:, 1::2]), dim=1)


def far_row(shift: int = 0, d: int = 8) -> Tensor:
    """Return the encoding of a position that no table holds."""
    angles = (1_000_000.5 + shift) * sinusoidal_frequencies(d).double()
    row = torch.stack((angles.sin(), angles.cos()), dim=1).flatten()
    return row.to(torch.get_default_dtype())


def is_written_out(encode) -> bool:
    """Return whether an answer reads no table of ours, and does not loop."""
    few, many = calls(encode, 5, 6), calls(encode, 40, 14)
    return few == many and not any("sinusoidal_table" in name for name in few)


def is_a_position(answer) -> bool:
    """Return whether an answer is a whole number among the positions asked for."""
    return float(answer) == int(answer) and 0 <= int(answer) < 5000


def reads(position_of, *, d: int, positions: Sequence[int]) -> bool:
    """Return whether an answer finds positions in rows of two decimals.

    Args:
        position_of: The answer.
        d: Number of features.
        positions: Those to find.
    """
    table = sinusoidal_table(5000, d).to(torch.get_default_dtype()).round(decimals=2)
    return all(int(position_of(table[t].clone())) == t for t in positions)


EXERCISES = {
    "ex-encode-by-hand": [
        Property(
            "there must be four numbers.",
            lambda row, product: len(row) == 4,
        ),
        Property(
            "the first pair turns by one radian for each position.",
            lambda row, product: (
                abs(row[0] - math.sin(5)) < 6e-4 and abs(row[1] - math.cos(5)) < 6e-4
            ),
        ),
        Property(
            "the second pair turns by 0.01 radians for each position.",
            lambda row, product: (
                abs(row[2] - math.sin(0.05)) < 6e-4
                and abs(row[3] - math.cos(0.05)) < 6e-4
            ),
        ),
        Property(
            "the dot product must depend on the distance between the positions only.",
            lambda row, product: abs(product - math.cos(3) - math.cos(0.03)) < 6e-3,
        ),
    ],
    "ex-read-clock": [
        Property(
            "a position is a whole number from 0 to 4,999.",
            lambda position_of: is_a_position(
                position_of(sinusoidal_table(8, 16)[7].to(torch.get_default_dtype()))
            ),
        ),
        Property(
            "the positions 0 to 5 must be read rightly; rounded to two decimals, slow "
            "hands hardly tell them apart.",
            lambda position_of: reads(position_of, d=16, positions=range(6)),
        ),
        Property(
            "positions beyond the first turn of the fastest hand must be read rightly.",
            lambda position_of: reads(position_of, d=16, positions=(7, 20, 63, 99)),
        ),
        Property(
            "far positions must be read rightly, up to 4,999 and for any even number "
            "of features from 16 on.",
            lambda position_of: all(
                reads(position_of, d=d, positions=(0, 700, 2718, 4321, 4999))
                for d in (16, 18, 130)
            ),
        ),
    ],
    "ex-encode-code": [
        Property(
            "the result must have one row for each position, made without a loop and "
            "without our table.",
            lambda encode: encode(5, 6).shape == (5, 6) and is_written_out(encode),
        ),
        Property(
            "position 0 must read 0, 0, 0, 1, 1, 1: all sines, then all cosines.",
            lambda encode: encode(1, 6)[0].tolist() == [0, 0, 0, 1, 1, 1],
        ),
        Property(
            "the first pair must turn by one radian for each position.",
            lambda encode: math.isclose(encode(2, 8)[1, 0], math.sin(1), abs_tol=1e-6),
        ),
        Property(
            "the frequencies must fall in the right steps; what does i count?",
            lambda encode: all(
                torch.allclose(
                    encode(length, 14).double(),
                    halves(sinusoidal_table(length, 14)),
                    atol=atol,
                )
                for length, atol in ((40, 1e-5), (400, 1e-4))  # as float32 can
            ),
        ),
    ],
    "ex-shift-code": [
        Property(
            "the result must have the shape of the row.",
            lambda shift: shift(sinusoidal_table(1, 8)[0], 3).shape == (8,),
        ),
        Property(
            "a shift by 0 must change nothing.",
            lambda shift: torch.allclose(
                shift(sinusoidal_table(6, 8)[5], 0), sinusoidal_table(6, 8)[5]
            ),
        ),
        Property(
            "a shift must keep the length of the vector.",
            lambda shift: math.isclose(
                shift(sinusoidal_table(6, 8)[5], 3).norm(), 2, rel_tol=1e-6
            ),
        ),
        Property(
            "the row of position 5, shifted by 7, must be the row of position 12.",
            lambda shift: all(
                torch.allclose(
                    shift(sinusoidal_table(6, d)[5], 7), sinusoidal_table(13, d)[12]
                )
                for d in (8, 14)
            ),
        ),
        Property(
            "shifts must work backwards too.",
            lambda shift: torch.allclose(
                shift(sinusoidal_table(6, 8)[5], -2), sinusoidal_table(4, 8)[3]
            ),
        ),
        Property(
            "a position that stands in no table, 1,000,000.5, must be shifted too: the "
            "turn depends on k only.",
            lambda shift: all(
                torch.allclose(shift(far_row(d=d), k), far_row(k, d))
                for d in (8, 14)  # of 14 no hand is back when the slowest one is
                for k in (3, 300)
            ),
        ),
    ],
    "ex-full-turns": [
        Property(
            "answer with two whole numbers of pairs.",
            every(whole=True),
        ),
        Property(
            "count the wavelengths of at most 32, and those of at most 4,096; the "
            "second number is larger, and neither is 0 or 256.",
            every(Band((1, 0), low=1), Band((-1, 1), low=1), Band((0, 1), high=255)),
        ),
        Property(
            "the count for 32 positions is not right yet.",
            lambda short, long: short == 46,
        ),
        Property(
            "the count for 4,096 positions is not right yet.",
            lambda short, long: long == 181,
        ),
    ],
}

SINES = [[0, 0, 1, 1], [*map(math.sin, (1, 0.01)), *map(math.cos, (1, 0.01))]]
BY_HAND = {
    "ex-encode-code": [
        Property("give two rows of four numbers.", shaped(SINES)),
        Property(
            "at position 0 all sines are 0 and all cosines are 1.",
            right_where(SINES, lambda row, feature: row == 0),
        ),
        Property(
            "the first hand turns by 1 for each position.",
            right_where(SINES, lambda row, feature: feature in (0, 2), within=6e-3),
        ),
        Property(
            "the second hand is 100 times slower.",
            right_where(SINES, within=1e-3),
        ),
    ],
}

FIELDS = {
    "ex-encode-code": form_of_rows(SINES),
    "ex-encode-by-hand": (
        [math.sin(5), math.cos(5), math.sin(0.05), math.cos(0.05)],
        math.cos(3) + math.cos(0.03),
    ),
    "ex-full-turns": (46, 181),
}
