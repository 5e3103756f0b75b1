"""The figures without softmax show the numbers that they are given."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from chapters.without_softmax import figures

KEYS, VALUES = [[1, 0], [0, 1], [1, 1]], [[4, 1], [2, 3], [1, 5]]


def written(axes):
    return [text.get_text() for text in axes.texts]


def test_the_cache_grows_and_the_state_does_not(drawn):
    figures.draw_two_memories(KEYS, VALUES)
    axes = drawn[0].axes[0]
    cells = sum(isinstance(patch, Rectangle) for patch in axes.patches)
    assert cells == 4 * (1 + 2 + 3) + 3 * 4
    said = [word for word in written(axes) if word.lstrip("-").isdigit()]
    assert said[-4:] == ["5", "6", "3", "8"]  # the state after the last word
    assert said[4:8] == ["4", "1", "0", "0"]  # and after the first


def test_pairs_found_are_shares_of_all_pairs(drawn):
    shares = {"sum": [[0.25, 0.5], [0.75, 1.0]], "softmax": [[1.0, 1.0], [1.0, 1.0]]}
    figures.draw_pairs_held(shares, widths=(8, 16), pairs=32)
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_ydata()) == [16.0, 24.0]
    assert list(axes.lines[1].get_ydata()) == [32.0, 32.0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["sum", "softmax"]


def test_what_is_left_is_drawn_on_one_scale(drawn):
    masks = {"no decay": np.tril(np.ones((3, 3))), "decay": np.eye(3)}
    figures.draw_left(masks)
    panels = drawn[0].axes
    assert [axes.get_title() for axes in panels] == ["no decay", "decay"]
    assert panels[1].images[0].get_array().tolist() == np.eye(3).tolist()
    assert {axes.images[0].get_clim() for axes in panels} == {(0.0, 1.0)}


def test_each_stack_has_a_row_and_each_seed_a_dot(drawn):
    figures.draw_stacks({"none": [0.1, 0.2], "all": [1.0, 0.9]})
    axes = drawn[0].axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["none", "all"]
    dots = axes.lines[0]
    assert list(dots.get_xdata()) == pytest.approx([0.1, 0.2])
    assert list(dots.get_ydata()) == [0, 0]
