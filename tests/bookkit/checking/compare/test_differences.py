"""What passes as equal is measured: the largest difference, in the right unit."""

import pytest

from bookkit.checking.compare.outputs import compare_outputs
from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.record import Differences, collecting
from bookkit.checking.compare.svg import compare_svg
from bookkit.checking.compare.text import compare_text
from bookkit.checking.facts import facts

# name: (stored, computed, decimals, absolute, units)
TEXTS = {
    "the same": ("0.1234", "0.1234", 0, 0.0, 0),
    "one unit": ("0.1234", "0.1235", 1, 1e-4, 1),
    "a sign": ("0.00", "-0.00", 0, 0.0, 0),
    "across zero": ("0.1", "-0.0", 1, 0.1, 1),
    "the largest of several": ("0.1 2.00 3.0", "0.1 2.01 3.1", 2, 0.1, 1),
    "an exponent": ("1.25e-03", "1.26e-03", 1, 1e-5, 1),
    "two exponents": ("1.00e-05", "9.99e-06", 1, 1e-8, 1),
    "groups": ("1,234.5", "1,234.6", 1, 0.1, 1),
    "a fault": ("0.1234", "0.1334", 1, 1e-2, 100),
    "what follows a fault": ("1 0.1", "2 0.2", 0, 0.0, 0),
    "a number beyond any float": ("1.0e999", "1.1e999", 1, float("inf"), 1),
    "a number below any float": ("1.0e-999", "1.1e-999", 1, 0.0, 1),
}


@facts("stored, computed, decimals, absolute, units", TEXTS.values(), ids=[*TEXTS])
def test_decimals_are_measured(stored, computed, decimals, absolute, units):
    with collecting() as found:
        compare_text(stored, computed)
    assert (found.decimals, found.units) == (decimals, units)
    assert found.absolute == pytest.approx(absolute, rel=1e-12)


def draw(body, head='viewBox="0 0 300 200" width="300pt" height="200pt"'):
    return f'<svg xmlns="http://www.w3.org/2000/svg" id="figure_1" {head}>{body}</svg>'


# name: (stored, computed, points, levels)
FIGURES = {
    "a length": ('<rect x="1"/>', '<rect x="1.04"/>', 0.04, 0),
    "a path": ('<path d="M1 2L3 4"/>', '<path d="M1 2L3 4.05"/>', 0.05, 0),
    "a shift": (
        '<g transform="translate(5 7)"/>',
        '<g transform="translate(5.03 7)"/>',
        0.03,
        0,
    ),
    "an opacity": ('<g opacity="0.5"/>', '<g opacity="0.5009"/>', 0, 0),
    "a scale": ('<g transform="scale(2)"/>', '<g transform="scale(2.0001)"/>', 0, 0),
    "a color": ('<g fill="#000000"/>', '<g fill="#000200"/>', 0, 2),
    "a fault": ('<rect x="1"/>', '<rect x="4"/>', 3, 0),
}


@facts("stored, computed, points, levels", FIGURES.values(), ids=[*FIGURES])
def test_figures_are_measured(stored, computed, points, levels):
    with collecting() as found:
        compare_svg(draw(stored), draw(computed))
    assert found.points == pytest.approx(points)
    assert found.levels == levels


def test_pictures_are_measured(figure, png):
    with collecting() as found:
        assert compare_png(png, figure(format="png", cell=0.255)) is None
    assert 0 < found.levels <= 4
    with collecting() as found:
        assert compare_png(png, figure(format="png", cell=0.5))
    assert found.levels > 4


def test_all_outputs_of_a_cell_are_measured_together():
    def outputs(*texts):
        return [
            {"output_type": "execute_result", "data": {"text/plain": t}} for t in texts
        ]

    with collecting() as found:
        assert compare_outputs(outputs("0.10", "1.0"), outputs("0.11", "1.1")) == []
    assert found == Differences(decimals=2, absolute=pytest.approx(0.1), units=1)


def test_nothing_is_noted_outside_and_an_inner_collection_is_its_own():
    with collecting() as outer:
        with collecting() as inner:
            compare_text("0.1", "0.2")
        compare_text("0.10", "0.11")
    compare_text("0.1", "0.5")
    assert (inner.absolute, outer.absolute) == (0.1, 0.01)


def test_differences_add_up_to_the_largest():
    one = Differences(decimals=2, absolute=0.1, units=1, points=0.5)
    two = Differences(decimals=3, absolute=0.01, units=4, levels=2.5)
    assert one + two == Differences(5, 0.1, 4, 0.5, 2.5)
