"""The figures on norm placement show the numbers that they are given."""

import pytest
from matplotlib.colors import to_hex

from chapters.norm_placement import figures as norm_placement
from chapters.start import BLUE


def test_the_letter_lies_under_the_remarks(drawn):
    piles = {"pre": [[1.0, 0.0, 0], [1, 1, 0], [1, 1, 1]], "post": [[1.0], [0.5]]}
    norm_placement.draw_piles(piles)
    pre, post = drawn[0].axes
    assert [axes.get_title() for axes in (pre, post)] == ["pre", "post"]
    letter, first, second = pre.containers
    assert [bar.get_height() for bar in letter] == [1, 1, 1]
    assert [bar.get_y() for bar in letter] == [0, 0, 0]
    assert [bar.get_y() for bar in second] == [1, 2, 2]  # on all before it
    assert [bar.get_height() for bar in second] == [0, 0, 1]
    colors = {to_hex(bar.get_facecolor()) for bar in (*first, *second)}
    assert to_hex(letter[0].get_facecolor()) == BLUE not in colors
    assert [bar.get_height() for bar in post.containers[0]] == [1, 0.5]


def test_depth_shows_mean_and_range(drawn):
    norm_placement.draw_by_layer({"a": [[1.0, 3.0], [3.0, 5.0]]}, first=1, y_label="y")
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [1, 2]
    assert list(axes.lines[0].get_ydata()) == [2.0, 4.0]
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == (1.0, 5.0)


@pytest.mark.parametrize(("names", "columns"), [("abc", 3), ("abcd", 2)])
def test_the_names_of_four_curves_stand_in_two_rows(names, columns, drawn):
    norm_placement.draw_by_layer({n: [[1.0, 3.0]] for n in names}, first=1, y_label="y")
    assert drawn[0].axes[0].get_legend()._ncols == columns


def test_the_grid_shows_means_and_the_baseline(drawn):
    deep = {"a": {0.2: [2.0], 0.1: [1.0, 3.0]}, "b": {0.1: [2.0]}}
    norm_placement.draw_grid({"deep": deep, "flat": {"a": {0.1: [9]}}}, baseline=2.5)
    left, right = drawn[0].axes
    assert list(left.lines[0].get_xdata()) == [0.1, 0.2]
    assert list(left.lines[0].get_ydata()) == [2.0, 2.0]
    bars = left.collections[0].get_segments()
    assert [list(bar[:, 1]) for bar in bars] == [[1.0, 3.0], [2.0, 2.0]]
    assert list(left.lines[-1].get_ydata()) == [2.5, 2.5]
    assert right.get_title() == "flat"
    assert left.get_ylim()[1] > 9  # no panel is cut off
    drawn[0].canvas.draw()
    assert "0.1" in [name.get_text() for name in left.get_xticklabels()]


@pytest.mark.parametrize(
    ("runs", "label"),
    [([[0.3, 2.0]], "0.5"), ([[1.0, 1e9]], "$\\mathdefault{10^{2}}$")],
)
def test_a_short_logarithmic_axis_has_plain_numbers(runs, label, drawn):
    norm_placement.draw_by_layer({"a": runs}, first=1, y_label="size", log=True)
    drawn[0].canvas.draw()
    axis = drawn[0].axes[0].yaxis
    assert label in [tick.get_text() for tick in axis.get_majorticklabels()]
    assert not any(tick.get_text() for tick in axis.get_minorticklabels())


def test_losses_start_at_the_first_step(drawn):
    curves = {"a": [[4.0, 2.0, 1.0]]}
    norm_placement.draw_losses(curves, every=5, bounds=(3.0, 0.7))
    line, *dotted = drawn[0].axes[0].lines
    assert list(line.get_xdata()) == [1, 6, 11]
    assert list(line.get_ydata()) == [4.0, 2.0, 1.0]
    assert [bound.get_ydata()[0] for bound in dotted] == [3.0, 0.7]


def test_the_volume_shows_means_of_texts_norms_and_a_guess(drawn):
    losses = {"a": [[4.0, 2.0, 5.0], [6.0, 2.0, 5.0]], "b": [[3.0, 2.0, 9.0]]}
    norms = {"b": (0.3, 8.0)}
    norm_placement.draw_volume((0.5, 1, 2), losses, norms, guess=7.0)
    first, second, cross, guess = drawn[0].axes[0].lines
    assert list(first.get_ydata()) == [5.0, 2.0, 5.0]
    assert list(second.get_xdata()) == [0.5, 1, 2]
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (0.3, 8.0)
    assert cross.get_color() == second.get_color()
    assert list(guess.get_ydata()) == [7.0, 7.0]


def test_the_first_steps_show_means_over_seeds_at_their_steps(drawn):
    curves = {"a": [[0.5, 1.0, 1.0], [0.7, 1.0, 0.8]], "b": [[0.4, 0.9, 0.3]]}
    norm_placement.draw_first_steps((0, 1, 8), curves)
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [0, 1, 8]
    assert list(axes.lines[0].get_ydata()) == pytest.approx([0.6, 1.0, 0.9])
    drawn[0].canvas.draw()
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0", "1", "8"]
