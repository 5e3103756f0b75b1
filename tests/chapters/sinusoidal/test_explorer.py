"""What the explorer of the sinusoidal encoding computes is what the package does."""

import torch

from chapters.sinusoidal import explorer as sinusoidal
from transformer.layers import sinusoidal_frequencies, sinusoidal_table

TABLE = sinusoidal_table(70, sinusoidal.D_MODEL, base=sinusoidal.BASE)
DATA = sinusoidal.show().data


def test_data_are_the_frequencies_of_the_package():
    frequencies = sinusoidal_frequencies(sinusoidal.D_MODEL, base=sinusoidal.BASE)
    torch.testing.assert_close(
        torch.tensor(DATA["frequencies"], dtype=torch.float64),
        frequencies,
        rtol=0,
        atol=1e-9,
    )


def test_script_encodes_as_the_package_does(ask):
    questions = [
        ["math.encode", frequency, position]
        for position in range(70)
        for frequency in DATA["frequencies"]
    ]
    encoded = torch.tensor(ask("sinusoidal", *questions), dtype=torch.float64)
    torch.testing.assert_close(encoded.view(70, -1), TABLE, rtol=0, atol=1e-6)


def test_matrix_of_the_script_moves_any_position_of_the_package(ask):
    starts, offsets = torch.randint(0, 50, (100,)), torch.randint(0, 13, (100,))
    for pair, frequency in enumerate(DATA["frequencies"]):
        questions = [["math.shift", frequency, int(offset)] for offset in offsets]
        matrices = torch.tensor(ask("sinusoidal", *questions), dtype=torch.float64)
        features = TABLE.unflatten(-1, (-1, 2))[:, pair]
        moved = torch.einsum("nij, nj -> ni", matrices, features[starts])
        torch.testing.assert_close(moved, features[starts + offsets], rtol=0, atol=1e-6)


def test_arc_is_large_beyond_half_a_turn(ask):
    turns = [0.1, 0.4, 0.6, 0.9, 1.1, 1.6]
    questions = [["math.isLarge", turn * 2 * torch.pi] for turn in turns]
    assert ask("sinusoidal", *questions) == [False, False, True, True, False, True]
