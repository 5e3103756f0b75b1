"""The explorer of a hidden unit reads and bends as the package does."""

from itertools import product

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.feed_forward import explorer
from transformer.layers import relu

UNITS = [((1, 1), -1), ((1, 1), -0.5), ((-0.5, 2), 0.3), ((0, 0), -1), ((1, -1), 0)]
GRID = list(product((-0.3, 0.1, 0.5, 0.9, 1.3), repeat=2))


@facts("reads, bias", UNITS)
def test_sum_is_that_of_a_linear_layer(ask, reads, bias):
    found = ask("feed_forward", *(["math.sum", reads, bias, x] for x in GRID))
    expected = torch.tensor(GRID) @ torch.tensor(reads).float() + bias
    assert found == pytest.approx(expected.tolist(), abs=1e-6)


def inside(point, corners):
    """Say whether a point is inside of a polygon without dents."""
    edges = zip(corners, corners[1:] + corners[:1], strict=True)
    sides = [
        (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])
        for a, b in edges
    ]
    return len(sides) > 2 and min(sides) >= -1e-9


@facts("reads, bias", UNITS)
def test_the_unit_speaks_where_the_plane_is_shaded(ask, reads, bias):
    [corners] = ask("feed_forward", ["math.speaks", reads, bias])
    bent = relu(torch.tensor(GRID) @ torch.tensor(reads).float() + bias)
    for point, number in zip(GRID, bent.tolist(), strict=True):
        if number > 1e-6:
            assert inside(point, corners)
        elif not inside(point, corners):
            assert number == 0


@facts(
    "said, word",
    [((0, 0, 0, 1), "and"), ((0, 0.5, 0.5, 1.5), "or"), ((1, 0, 0, 0), "neither")],
)
def test_units_have_the_names_of_what_they_say(ask, said, word):
    assert ask("feed_forward", ["math.name", said]) == [f"it says “{word}”"]


def test_first_picture_is_the_unit_of_the_chapter():
    html = explorer.show()._repr_html_()
    assert (
        "speaks for hot dog: it says “and”. To x = (0.80, 0.90) it says 0.70." in html
    )
