"""The figures on variants show the layers and the numbers that they are given."""

import numpy as np
import pytest
import torch

from chapters.laboratory.study import Gain
from chapters.variants import figures as variants


def test_a_swap_has_the_color_of_the_capital_that_is_named(drawn):
    found = np.array([[2, 1], [0, 2]])
    variants.draw_swaps({"doors": found, "messages": found.T}, ["France", "Italy"])
    doors, messages = drawn[0].axes
    assert np.asarray(doors.collections[0].get_array()).tolist() == [[2, 1], [0, 2]]
    assert np.asarray(messages.collections[0].get_array()).tolist() == [[2, 0], [1, 2]]
    assert doors.yaxis_inverted()
    assert [t.get_text() for t in doors.get_yticklabels()] == ["France", "Italy"]
    assert list(doors.lines[0].get_xdata()) == [1.5]


def test_what_changes_is_shaded(drawn):
    changes = torch.tensor([[0.3, 0.0], [2.0, 1.0]])
    variants.draw_reach({"one": changes, "other": changes.T})
    left, right = drawn[0].axes
    assert np.asarray(left.images[0].get_array()).tolist() == [[1, 0], [1, 1]]
    assert np.asarray(right.images[0].get_array()).tolist() == [[1, 1], [0, 1]]


def test_a_gain_stands_between_the_ends_of_its_interval(drawn):
    gains = {
        "a": {200: Gain(0.3, 0.1, 0.5), 800: Gain(0.2, 0.1, 0.3)},
        "b": {200: Gain(-0.1, -0.4, 0.2), 800: Gain(0.0, -0.5, 0.5)},
    }
    variants.draw_gains(gains, baseline="c")
    axes = drawn[0].axes[0]
    first, second = axes.containers
    assert list(first.lines[0].get_xdata()) == [0.3, -0.1]
    assert list(second.lines[0].get_xdata()) == [0.2, 0.0]
    bars = [segment[:, 0].tolist() for segment in first.lines[2][0].get_segments()]
    assert bars == [pytest.approx([0.1, 0.5]), pytest.approx([-0.4, 0.2])]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b"]
    assert axes.yaxis_inverted()


def test_experts_are_ranked_by_what_they_have_to_do(drawn):
    variants.draw_loads({"a": [[0.1, 0.7], [0.5, 0.3]], "b": [[0.4, 0.4]]}, even=0.4)
    first, second, mean = drawn[0].axes[0].lines[:3]
    assert list(first.get_ydata()) == [0.7, 0.1]
    assert list(second.get_ydata()) == [0.5, 0.3]
    assert list(mean.get_ydata()) == pytest.approx([0.6, 0.2])
