"""Plots put queries in rows, keys in columns, and zero where it belongs."""

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from chapters.shared.plots import band_plot, heat_map, line_plot, range_plot, to_numpy
from chapters.start import COLORS, INK, LINE_STYLES, PAPER


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_the_first_row_is_drawn_on_top(axes):
    heat_map(axes, [[1, 0], [0, 0], [0, 0]])
    image = axes.images[0]
    assert image.get_array().shape == (3, 2)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("query", "key")


def test_a_sequential_map_starts_at_zero_in_white(axes):
    heat_map(axes, [[0.5, 2.0]])
    image = axes.images[0]
    assert image.get_clim() == (0.0, 2.0)
    assert image.cmap(image.norm(0.0))[:3] == (1.0, 1.0, 1.0)


def test_a_diverging_map_is_white_at_zero_and_symmetric(axes):
    heat_map(axes, [[-3.0, 1.0]], kind="diverging")
    image = axes.images[0]
    assert image.get_clim() == (-3.0, 3.0)
    assert np.allclose(image.cmap(image.norm(0.0))[:3], 1.0, atol=0.02)


def test_numbers_are_written_in_a_color_that_can_be_read(axes):
    heat_map(axes, [[0.0, 1.0]], decimals=1)
    (light, dark) = axes.texts
    assert (light.get_text(), dark.get_text()) == ("0.0", "1.0")
    assert (light.get_color(), dark.get_color()) == (INK, PAPER)


def test_names_of_rows_and_columns_label_the_ticks(axes):
    heat_map(axes, [[1, 0]], rows=["the"], columns=["cat", "sat"])
    assert [t.get_text() for t in axes.get_xticklabels()] == ["cat", "sat"]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["the"]


def test_an_unknown_kind_is_refused(axes):
    with pytest.raises(ValueError, match=r"'sequential' or 'diverging', got 'rainbow'"):
        heat_map(axes, [[1]], kind="rainbow")


def test_a_negative_number_in_a_sequential_map_is_refused(axes):
    with pytest.raises(ValueError, match=r"starts at zero, got -2; use kind='div"):
        heat_map(axes, [[1, -2]])


def test_curves_differ_in_color_and_in_line_style(axes):
    line_plot(axes, [0, 1], {"a": [0, 1], "b": [1, 0]}, x_label="x", y_label="y")
    assert [line.get_color() for line in axes.lines] == list(COLORS[:2])
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--"]
    assert [text.get_text() for text in axes.texts] == ["a", "b"]
    assert axes.get_legend() is None


def test_a_legend_replaces_direct_labels(axes):
    options = {"x_label": "x", "y_label": "y", "direct": False}
    line_plot(axes, [0, 1], {"a": [0, 1], "b": [1, 0]}, **options)
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["a", "b"]


def test_too_many_curves_are_refused(axes):
    curves = {str(i): [0, 1] for i in range(5)}
    with pytest.raises(ValueError, match=r"at most 4 curves, got 5; split"):
        line_plot(axes, [0, 1], curves, x_label="x", y_label="y")


def test_tensors_with_gradients_become_arrays():
    x = torch.ones(2, requires_grad=True)
    assert to_numpy(x).tolist() == [1.0, 1.0]
    assert to_numpy([1, 2]).dtype == float


def test_the_colors_differ_in_grey():
    grey = sorted(np.dot(to_rgb(c), (0.299, 0.587, 0.114)) for c in COLORS)
    distinct = np.diff(grey).min() > 0.05
    assert distinct or len(set(LINE_STYLES)) == len(COLORS)


def test_a_band_shows_mean_and_range(axes):
    band_plot(axes, [1, 2], {"a": [[1.0, 3.0], [3.0, 5.0]]}, x_label="x", y_label="y")
    assert list(axes.lines[0].get_ydata()) == [2.0, 4.0]
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (1.0, 5.0)
    assert axes.get_legend() is None


def test_a_range_has_a_dot_for_each_seed_and_a_bar_at_the_mean(axes):
    range_plot(axes, {"a": [1.0, 2.0, 6.0], "b": [4.0]}, x_label="nats", baseline=5.0)
    dots, bar = axes.lines[:2]
    assert list(dots.get_xdata()) == [1.0, 2.0, 6.0]
    assert list(bar.get_xdata()) == [3.0]
    assert list(axes.lines[-1].get_xdata()) == [5.0, 5.0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
