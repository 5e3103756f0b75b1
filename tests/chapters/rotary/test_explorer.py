"""What the explorer of rotary embedding computes is what the package computes."""

from math import cos, degrees, isclose, sin

import torch

from chapters.rotary import explorer as rotary
from transformer.layers import RotaryEmbedding

DATA = rotary.show().data


def turned(vectors, positions):
    """Turn vectors of one pair, taken as each pair of a head, with the package."""
    heads = vectors.repeat(1, len(DATA["frequencies"]))[:, None]  # (n, 1, d_head)
    rotary_embedding = RotaryEmbedding(
        heads.size(-1), base=rotary.BASE, layout="interleaved"
    )
    return rotary_embedding(heads, positions[:, None]).unflatten(-1, (-1, 2))[:, 0]


def test_script_turns_as_the_package_does(ask):
    vectors = torch.randn(50, 2, dtype=torch.float64)
    positions = torch.randint(0, 21, (50,))
    questions = [
        ["math.turn", vector, frequency * position]
        for vector, position in zip(vectors.tolist(), positions.tolist(), strict=True)
        for frequency in DATA["frequencies"]
    ]
    answer = torch.tensor(ask("rotary", *questions), dtype=torch.float64)
    expected = turned(vectors, positions)
    torch.testing.assert_close(answer.view(50, 2, 2), expected, rtol=0, atol=1e-6)


def test_script_multiplies_vectors(ask):
    a, b = torch.randn(2, 20, 2, dtype=torch.float64)
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    dots = torch.tensor(ask("rotary", *(["math.dot", *pair] for pair in pairs)))
    cross = torch.tensor(ask("rotary", *(["math.cross", *pair] for pair in pairs)))
    torch.testing.assert_close(dots.double(), (a * b).sum(-1), rtol=1e-6, atol=1e-6)
    expected = torch.linalg.det(torch.stack((a, b), dim=-1))
    torch.testing.assert_close(cross.double(), expected, rtol=1e-6, atol=1e-6)


def test_hands_point_where_the_package_turns_them(ask):
    states = [
        (vector, frequency, position)
        for vector in (rotary.QUERY, rotary.KEY)
        for frequency in DATA["frequencies"]
        for position in range(rotary.LAST + 1)
    ]
    found = ask("rotary", *(["math.angle", *state] for state in states))
    for (vector, frequency, position), angle in zip(states, found, strict=True):
        hand = rotary.turn(vector, position)[DATA["frequencies"].index(frequency)]
        expected = degrees(float(torch.atan2(hand[1], hand[0])))
        turns = (angle - expected) / 360
        assert isclose(turns, round(turns), abs_tol=1e-7)
        assert isclose(rotary.find_angle(vector, frequency, position), angle)


def test_curve_is_the_score_of_the_package_at_every_offset():
    places = torch.arange(rotary.LAST + 1)
    query, key = (
        turned(torch.tensor([pair], dtype=torch.float64).repeat(len(places), 1), places)
        for pair in (rotary.QUERY, rotary.KEY)
    )
    scores = torch.einsum("qpf, kpf -> qkp", query, key)
    offsets = places[None, :] - places[:, None]
    torch.testing.assert_close(scores, rotary.score(offsets), rtol=0, atol=1e-6)


def test_text_and_dot_show_the_score_of_the_curve():
    offset = rotary.KEY_AT - rotary.QUERY_AT
    # By hand: the conjugate of 1 + 2i times 3 - i is 1 - 7i.
    total = sum(cos(w * offset) + 7 * sin(w * offset) for w in (1.0, 0.1))
    explorer = rotary.show()
    dot = rotary.place(offset, total)
    assert f"have the score {total:.2f}. " in explorer.readout
    assert f'cx="{dot["x"]}" cy="{dot["y"]}"' in explorer.stage
