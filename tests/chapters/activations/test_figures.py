"""The figures on activations show the functions and the numbers that they are given."""

import pytest
import torch

from chapters.activations import figures as activations
from transformer.layers import relu, silu


def lines(axes):
    return [line for line in axes.lines if len(line.get_xdata()) > 2]


def test_only_positive_numbers_pass_the_bend(drawn):
    activations.draw_bend([3, -3])
    texts = ([text.get_text() for text in axes.texts] for axes in drawn[0].axes)
    without, with_bend = ([int(text) for text in all_ if text] for all_ in texts)
    assert without == [3, 0, 3, 3, -3, -3, -3, 0, -3, -3, 3, 3]
    assert with_bend == [3, 3, 3, 3, -3, 0, -3, 3, -3, 0, 3, 3]


def test_the_band_of_gates_holds_their_quantiles(drawn):
    inputs = torch.linspace(-5, 5, 101, dtype=torch.float64).expand(3, 2, 101)
    activations.draw_real_gates(inputs)
    median = drawn[0].axes[1].lines[0]
    assert list(median.get_xdata()) == [1, 2, 3]
    assert median.get_ydata() == pytest.approx([0.5] * 3)


def test_the_shaded_area_ends_at_the_number(drawn):
    activations.draw_coin(-0.5, 0.5)
    left, right = drawn[0].axes
    assert left.collections[0].get_paths()[0].vertices[:, 0].max() == -0.5
    assert "69%" in right.get_title()


def test_a_slope_is_the_derivative():
    x = torch.tensor([-3.0, 0.5], dtype=torch.float64)
    gate = x.sigmoid()
    expected = gate + x * gate * (1 - gate)
    assert activations.slope(silu, x).tolist() == pytest.approx(expected.tolist())
    assert activations.slope(relu, x).tolist() == [0, 1]
    assert not x.requires_grad


def test_dead_units_and_losses_have_a_row_for_each_name(drawn):
    dead = {"a": (0.0, 0.5), "b": (1.0, 1.0)}
    activations.draw_dead(dead, {"a": (0.1, 0.2), "b": (3.0, 4.0)})
    left, right = drawn[0].axes
    assert [t.get_text() for t in left.get_yticklabels()] == ["a", "b"]
    assert list(left.lines[0].get_xdata()) == [0.0, 0.5]
    assert list(right.lines[2].get_xdata()) == [3.0, 4.0]


def test_losses_are_joined_in_the_order_of_the_rates(drawn):
    curve = {0.1: 1.5, 0.01: 2.0, 0.03: 1.75}
    activations.draw_rates({200: {"a": curve}, 800: {"a": curve, "b": {0.1: 3.0}}})
    short, long = drawn[0].axes
    assert list(short.lines[0].get_xdata()) == [0.01, 0.03, 0.1]
    assert list(short.lines[0].get_ydata()) == [2.0, 1.75, 1.5]
    assert [line.get_label() for line in long.lines] == ["a", "b"]
    assert long.get_title() == "800 steps"
    ticks = [tick.get_text() for tick in long.get_xticklabels()]
    assert ticks == ["0.01", "0.03", "0.1"]
