"""What the explorer of the sinusoidal encoding computes is what the package does."""

import re

import pytest
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


def test_parts_of_the_script_add_up_to_the_dot_product_of_the_package(ask):
    places = [(int(a), int(b)) for a, b in torch.randint(0, 70, (60, 2))]
    found = ask(
        "sinusoidal",
        *(["math.parts", DATA["frequencies"], a, b] for a, b in places),
    )
    expected = torch.stack([TABLE[a] @ TABLE[b] for a, b in places])
    parts = torch.tensor(found, dtype=torch.float64)
    torch.testing.assert_close(parts.sum(dim=-1), expected, rtol=0, atol=1e-6)
    first = [sinusoidal.find_parts(a, b).tolist() for a, b in places]
    torch.testing.assert_close(parts.tolist(), first, rtol=0, atol=1e-6)


def test_dots_lie_on_the_waves_as_high_as_the_hands_reach(ask):
    text = sinusoidal.TEXT
    for position in (0, 1, 7, 24):
        across = text.find_slot(position)
        asked = ["math.hands", DATA["frequencies"], position, across]
        [drawn] = ask("sinusoidal", asked)
        assert drawn == sinusoidal.draw_hands(position)
        tips = re.findall(r"L([\d.]+) ([\d.]+)", drawn["hand"])
        dots = re.findall(r"M([\d.]+) ([\d.]+)h0", drawn["dot"])
        for pair, ((x, y), (across_dot, height)) in enumerate(
            zip(tips, dots, strict=True)
        ):
            sine, cosine = TABLE[position, 2 * pair : 2 * pair + 2].tolist()
            middle = sinusoidal.find_middle(pair)
            assert y == height
            assert float(across_dot) == pytest.approx(across)
            assert float(x) == pytest.approx(28 + 19 * sine, abs=0.006)
            assert float(y) == pytest.approx(middle - 19 * cosine, abs=0.006)


def test_waves_are_as_high_as_their_hands_at_every_position():
    for pair, frequency in enumerate(DATA["frequencies"]):
        middle = sinusoidal.find_middle(pair)
        wave = sinusoidal.draw_wave(frequency, middle)
        points = dict(re.findall(r"([\d.]+) ([\d.]+)", wave))
        for position in range(sinusoidal.LAST + 1):
            height = points[f"{sinusoidal.TEXT.find_slot(position):.2f}"]
            expected = middle - 19 * float(TABLE[position, 2 * pair + 1])
            assert float(height) == pytest.approx(expected, abs=0.006)


def read_flags(arcs):
    """Read of each arc whether it is large, and whether it goes clockwise."""
    return [(int(a), int(b)) for a, b in re.findall(r"A8 8 0 (\d) (\d)", arcs)]


def test_arc_is_large_beyond_half_a_turn_and_goes_as_the_hand_does(ask):
    turns = [0.1, 0.4, 0.6, 0.9, 1.1, 1.6, -0.1, -0.6, -1.1]
    questions = [["math.arcs", [2 * torch.pi], 0, turn] for turn in turns]
    found = [read_flags(arcs)[0] for arcs in ask("sinusoidal", *questions)]
    large, clockwise = zip(*found, strict=True)
    assert large == (0, 0, 1, 1, 0, 1, 0, 1, 0)
    assert clockwise == (1, 1, 1, 1, 1, 1, 0, 0, 0)


def test_script_draws_turns_as_python_does(ask):
    places = [(6, 9), (9, 6), (0, 24), (5, 5), (24, 3)]
    questions = [["math.arcs", DATA["frequencies"], *pair] for pair in places]
    found = ask("sinusoidal", *questions)
    assert found == [sinusoidal.draw_arcs(*pair) for pair in places]


def test_dot_of_the_curve_is_the_dot_product_told_in_words():
    explorer = sinusoidal.show()
    total = float(TABLE[sinusoidal.QUERY_AT] @ TABLE[sinusoidal.KEY_AT])
    x, y = sinusoidal.place(sinusoidal.KEY_AT - sinusoidal.QUERY_AT, total)
    assert f"the dot product {total:.2f} wherever" in explorer.readout
    assert f'cx="{x}" cy="{y}"' in explorer.stage
