"""The figures on rotary embedding show the numbers that they are given."""

import math

import numpy as np
import pytest
from matplotlib.patches import Wedge

from chapters.rotary import figures as rotary


def test_hands_of_the_same_offset_have_the_same_angle_between_them(drawn):
    rotary.draw_turns([(1, 3), (5, 7)], frequency=0.5)
    for axes in drawn[0].axes:
        ends = [np.array((line.get_xdata()[-1], line.get_ydata()[-1]))
                for line in axes.lines[::2]]  # fmt: skip
        assert ends[0] @ ends[1] == pytest.approx(np.cos(1.0))


def test_hands_turn_counterclockwise_from_the_query(drawn):
    rotary.draw_hands([math.pi / 2, 0.0], offsets=[1, 2])
    axes = drawn[0].axes[0]
    tips = [line.get_xydata()[1] - line.get_xydata()[0] for line in axes.lines[1::2]]
    expected = [(-0.38, 0), (0, 0.38), (0, -0.38), (0, 0.38)]
    np.testing.assert_allclose(tips, expected, atol=1e-12)
    assert [text.get_text() for text in axes.texts] == ["1 apart", "2 apart", "0", "1"]


def test_a_sweep_shows_what_training_has_shown_and_what_is_new(drawn):
    rotary.draw_sweeps([1.0, 0.01], planes=[0, 1], lengths=[60, 240])
    wedges = [p for p in drawn[0].axes[0].patches if isinstance(p, Wedge)]
    found = [(wedge.theta1 - 90, wedge.theta2 - 90) for wedge in wedges]
    known, swept = math.degrees(0.6), math.degrees(2.4)
    expected = [(0, 360), (0, known), (0, 360), (0, known), (known, swept)]
    np.testing.assert_allclose(found, expected)  # the fast hand meets nothing new


def test_weights_of_a_head_have_a_panel_for_each_name(drawn):
    weights = {"one": [[1.0, 0.0], [0.5, 0.5]], "two": [[1.0, 0.0], [0.0, 1.0]]}
    rotary.draw_head(weights, words=["a", "b"])
    assert [axes.get_title() for axes in drawn[0].axes] == ["one", "two"]
    assert drawn[0].axes[0].images[0].get_array().tolist() == weights["one"]
    words = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert words == ["a", "b"]
    limits = {axes.images[0].get_clim() for axes in drawn[0].axes}
    assert limits == {(0.0, 1.0)}  # the same color is the same weight


def test_decay_shows_the_scores(drawn):
    rotary.draw_decay([0, 1], {"a": [1.0, 0.5], "b": [1.0, 1.0]})
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_ydata()) == [1.0, 0.5]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]


def test_losses_by_position_stand_at_the_middle_of_their_bins(drawn):
    curves = {"a": [[1.0, 2.0, 3.0], [3.0, 2.0, 5.0]]}
    rotary.draw_by_position(curves, width=16, trained=16, baseline=4.0)
    line = drawn[0].axes[0].lines[0]
    assert list(line.get_xdata()) == [8.0, 24.0, 40.0]
    assert list(line.get_ydata()) == [2.0, 2.0, 4.0]


def test_scalings_mark_the_planes_that_never_turned(drawn):
    rotary.draw_scalings({"a": [1.0, 0.5, 0.5]}, turns=[10.0, 1.0, 0.1])
    curve, border = drawn[0].axes[0].lines
    assert list(curve.get_ydata()) == [1.0, 0.5, 0.5]
    assert border.get_xdata()[0] == 1.5
