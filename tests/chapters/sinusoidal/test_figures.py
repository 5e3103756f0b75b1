"""Figures of sinusoidal positions show the numbers that they are given."""

import pytest

from chapters.sinusoidal import figures as sinusoidal


def test_accuracy_shows_mean_and_range(drawn):
    sinusoidal.draw_accuracy(3, {"a": [[0.0, 1.0], [1.0, 1.0]]}, trained=4, chance=0.1)
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_ydata()) == [0.5, 1.0]
    assert list(axes.lines[0].get_xdata()) == [3, 4]
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (0.0, 1.0)


def test_the_counters_show_digits_and_waves_of_the_same_numbers(drawn):
    bits, waves = [[0, 0], [1, 0], [0, 1]], [[0.0, 0.0], [0.8, -0.5], [0.9, 1.0]]
    sinusoidal.draw_counters(bits, waves)
    left, right = drawn[0].axes
    assert left.images[0].get_array().tolist() == bits
    assert right.images[0].get_array().tolist() == waves
    rows = [[t.get_text() for t in axes.get_yticklabels()] for axes in (left, right)]
    assert rows == [["0", "1", "2"]] * 2
    assert [t.get_text() for t in left.get_xticklabels()] == ["1s", "2s"]
    assert right.images[0].get_clim() == (-1.0, 1.0)


def test_clock_hands_turn_by_frequency_times_offset(drawn):
    sinusoidal.draw_clocks([0.5, 0.25], starts=(0, 2), offset=2)
    hand = drawn[0].axes[0].lines[2].get_xydata()[1]
    assert hand == pytest.approx([0.8414710, 0.5403023], rel=1e-6)
    assert len(drawn[0].axes) == 4


def test_addition_shows_the_sum_in_the_last_row(drawn):
    sinusoidal.draw_addition([0.5, 0.3], [0.1, 0.2])
    shown = drawn[0].axes[0].images[0].get_array()
    assert shown[2].tolist() == pytest.approx([0.6, 0.5])


def test_waves_of_about_one_length_stand_together(drawn):
    wavelengths = [512.0, 170.0, 6.1, 6.0, 2.0]
    sinusoidal.draw_waves(wavelengths, {"a": [0.3, 0.2, 0.1, 0.3, 0.1], "b": [0.2] * 5})
    axes = drawn[0].axes[0]
    found, edges, _ = axes.patches[0].get_data()
    assert found.sum() == pytest.approx(1)  # none is left out
    heights = {
        tick: found[(edges[:-1] <= tick) & (tick < edges[1:])].item()
        for tick in wavelengths
    }
    assert heights[6.0] == pytest.approx(0.4)
    assert heights[512.0] == pytest.approx(0.3)
