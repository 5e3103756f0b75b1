"""What the explorer of rotary embedding computes is what the package computes."""

import re
from itertools import product
from math import atan2, cos, degrees, isclose, sin

import pytest
import torch

from chapters.rotary import explorer as rotary
from transformer.layers import RotaryEmbedding

DATA, LAST = rotary.show().data, 20


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
    positions = torch.arange(LAST + 1)
    for vector in (rotary.QUERY, rotary.KEY):
        rows = torch.tensor([vector], dtype=torch.float64).expand(LAST + 1, 2)
        hands = turned(rows, positions)
        for pair, frequency in enumerate(DATA["frequencies"]):
            asked = [["math.angle", vector, frequency, n] for n in range(LAST + 1)]
            found = ask("rotary", *asked)
            for (x, y), angle in zip(hands[:, pair], found, strict=True):
                turns = (angle - degrees(atan2(y, x))) / 360
                assert isclose(turns, round(turns), abs_tol=1e-7)


def test_curve_is_the_score_of_the_package_at_every_offset():
    positions = torch.arange(LAST + 1)
    query, key = (
        turned(torch.tensor([pair], dtype=torch.float64).expand(LAST + 1, 2), positions)
        for pair in (rotary.QUERY, rotary.KEY)
    )
    scores = torch.einsum("qpf, kpf -> qk", query, key)
    [curve] = re.findall(r'class="turn" d="M([^A"]+)"', rotary.show()._repr_html_())
    points = dict(re.findall(r"([\d.]+) ([\d.]+)", curve))
    for (query_at, key_at), score in zip(
        product(range(LAST + 1), repeat=2), scores.flatten().tolist(), strict=True
    ):
        height = float(points[f"{180 + 8 * (key_at - query_at):.2f}"])
        assert height == pytest.approx(75 - 4 * score, abs=0.006)


def test_text_and_dot_show_the_score_of_the_curve():
    # By hand: the conjugate of 1 + 2i times 3 - i is 1 - 7i.
    total = sum(cos(w * 2) + 7 * sin(w * 2) for w in (1.0, 0.1))
    shown = rotary.show()._repr_html_()
    assert f"have the score {total:.2f}. Any two positions with offset 2" in shown
    assert f'cx="196.00" cy="{75 - 4 * total:.2f}"' in shown
