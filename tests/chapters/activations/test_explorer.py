"""The explorer of activations bends and slopes as the package does."""

import re

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.activations import explorer
from chapters.shared.explorer.markup import MINUS
from transformer.layers import activations

POINTS = [n / 10 for n in range(-40, 41) if n]


def bend(ask, name, sharp):
    asked = [["math.bend", name, x, sharp] for x in POINTS]
    found = ask("activations", *asked)
    return {kind: [each[kind] for each in found] for kind in found[0]}


def expect(name, sharp):
    """Return what an activation makes of the points with a sharper gate, and slopes."""
    x = torch.tensor(POINTS, dtype=torch.float64, requires_grad=True)
    value = getattr(activations, name)(sharp * x) / sharp
    [slope] = torch.autograd.grad(value.sum(), x)
    return {kind: y.tolist() for kind, y in (("value", value), ("slope", slope))}


@facts("name", explorer.NAMES)
@facts("sharp", explorer.SHARPNESS)
def test_script_bends_and_slopes_as_the_package_does(ask, name, sharp):
    found = bend(ask, name, sharp)
    for kind, numbers in expect(name, sharp).items():
        assert found[kind] == pytest.approx(numbers, abs=1e-12)


@facts("name", explorer.NAMES)
def test_what_passes_is_x_times_its_gate(ask, name):
    found = bend(ask, name, 2)
    passed = [x * gate for x, gate in zip(POINTS, found["gate"], strict=True)]
    assert found["value"] == pytest.approx(passed, abs=1e-12)


def test_normal_share_is_that_of_the_library_far_out_too(ask):
    points = [-40, -8.1, -8, -5, -1e-3, 0, 0.3, 5, 7.9, 8.1, 40]
    found = ask("activations", *(["math.normal", z] for z in points))
    expected = torch.special.ndtr(torch.tensor(points, dtype=torch.float64)).tolist()
    assert found == pytest.approx(expected, abs=1e-14)


@facts("kind, most", [("gate", 1), ("value", 3.2)])
def test_curves_end_where_there_is_no_room(ask, kind, most):
    asked = [["math.curve", kind, name, 10] for name in explorer.NAMES]
    [place] = ask(
        "activations", [f"() => [math.place.{kind}(0), math.place.{kind}(1)]"]
    )
    for curve in ask("activations", *asked):
        heights = [float(y) for y in re.findall(r"\S+ ([\d.]+)", curve)]
        reached = [(place[0] - y) / (place[0] - place[1]) for y in heights]
        assert max(reached) <= most + 0.01


def test_chapter_s_example_stands_in_the_first_picture():
    told = "gate of SiLU is 0.378, and -0.189 passes. The slope is 0.260"
    assert told.replace("-", MINUS) in explorer.show()._repr_html_()
