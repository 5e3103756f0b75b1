"""What the explorer of the sinusoidal encoding computes is what the package does."""

import re

import pytest
import torch

from chapters.sinusoidal import explorer as sinusoidal
from transformer.layers import sinusoidal_frequencies, sinusoidal_table

TABLE = sinusoidal_table(70, sinusoidal.D_MODEL, base=sinusoidal.BASE)
DATA = sinusoidal.show().data


def find_slot(position):
    """Return where a position stands on its wave."""
    return 66 + 12 * position


def find_middle(pair):
    """Return how high the middle of a lane is."""
    return 118 + 62 * pair


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


def test_dots_lie_on_the_waves_as_high_as_the_hands_reach(ask):
    for position in (0, 1, 7, 24):
        across = find_slot(position)
        asked = ["math.hands", DATA["frequencies"], position, across]
        [drawn] = ask("sinusoidal", asked)
        tips = re.findall(r"L([\d.]+) ([\d.]+)", drawn["hand"])
        dots = re.findall(r"M([\d.]+) ([\d.]+)h0", drawn["dot"])
        for pair, ((x, y), (across_dot, height)) in enumerate(
            zip(tips, dots, strict=True)
        ):
            sine, cosine = TABLE[position, 2 * pair : 2 * pair + 2].tolist()
            middle = find_middle(pair)
            assert y == height
            assert float(across_dot) == pytest.approx(across)
            assert float(x) == pytest.approx(28 + 19 * sine, abs=0.006)
            assert float(y) == pytest.approx(middle - 19 * cosine, abs=0.006)


def test_waves_are_as_high_as_their_hands_at_every_position():
    waves = re.findall(r'class="wave" d="M([^"]+)"', sinusoidal.show()._repr_html_())
    for pair, wave in enumerate(waves):
        points = dict(re.findall(r"([\d.]+) ([\d.]+)", wave))
        for position in range(25):
            height = points[f"{find_slot(position):.2f}"]
            expected = find_middle(pair) - 19 * float(TABLE[position, 2 * pair + 1])
            assert float(height) == pytest.approx(expected, abs=0.006)
    assert len(waves) == 4


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


def test_arcs_lead_from_one_hand_to_the_other(ask):
    pairs = [(6, 9), (9, 6), (0, 24), (5, 5), (24, 3)]
    asked = [["math.arcs", DATA["frequencies"], *pair] for pair in pairs]
    for places, arcs in zip(pairs, ask("sinusoidal", *asked), strict=True):
        ends = re.findall(r"M(\S+) (\S+?)A8 8 0 \d \d (\S+) ([\d.]+)", arcs)
        for pair, end in enumerate(ends):
            hands = (TABLE[at, 2 * pair : 2 * pair + 2].tolist() for at in places)
            expected = [
                side
                for sine, cosine in hands
                for side in (28 + 8 * sine, find_middle(pair) - 8 * cosine)
            ]
            assert [float(side) for side in end] == pytest.approx(expected, abs=0.006)
        assert len(ends) == 4


def test_dot_of_the_curve_is_the_dot_product_told_in_words():
    shown = sinusoidal.show()._repr_html_()
    total = float(TABLE[6] @ TABLE[9])
    assert f"the dot product {total:.2f} wherever" in shown
    assert f'cx="201.00" cy="{110 - 24 * total:.2f}"' in shown
