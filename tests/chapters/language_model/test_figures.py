"""The figures of a language model show the numbers that they are given."""

from fractions import Fraction

import pytest
from matplotlib.patches import Rectangle

from chapters.language_model import figures


def written(axes):
    return [text.get_text() for text in axes.texts]


def test_the_labels_of_a_window_are_its_tokens_moved_by_one(drawn):
    figures.draw_window(["In", "the", "be", "gin"], [0.5, 0.25, 1 / 16])
    axes = drawn[0].axes[0]
    rows = {}
    for text in axes.texts:
        x, height = text.get_position()
        rows.setdefault(height, {})[text.get_text()] = x
    assert [*rows[0]] == ["In", "the", "be", "gin", "input"]
    below = rows[figures.LABELS]
    assert [*below] == ["the", "be", "gin", "label"]
    assert all(below[x] == rows[0][x] - 1 for x in ("the", "be", "gin"))
    said = rows[figures.SAID]
    assert [said[x] for x in (".5000", ".2500", ".0625")] == [0, 1, 2]
    paid = rows[figures.PAID]
    assert [paid[x] for x in ("0.69", "1.39", "2.77")] == [0, 1, 2]


def test_bars_below_a_window_are_as_long_as_its_losses(drawn):
    figures.draw_window(["In", "the", "be", "gin"], [0.5, 0.25, 1 / 16])
    patches = [x for x in drawn[0].axes[0].patches if isinstance(x, Rectangle)]
    *boxes, first, second, third = patches
    assert len(boxes) == 7
    tall = first.get_height()
    assert second.get_height() == pytest.approx(2 * tall)
    assert third.get_height() == pytest.approx(4 * tall)
    assert [x.get_linestyle() for x in boxes].count(":") == 1  # is not read


def test_each_bar_is_cut_and_names_its_ends(drawn):
    shares = {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 4)}
    figures.draw_intervals("bac", shares)
    axes = drawn[0].axes[0]
    parts = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [part.get_width() for part in parts] == [0.5, 0.25, 0.25] * 3
    ends = [word for word in written(axes) if word not in "abc"]
    assert ends == ["0", "1", "1/2", "3/4", "1/2", "5/8"]


def test_what_letters_cost_is_drawn_by_the_length_that_is_counted(drawn):
    figures.draw_orders((1, 2), {"read": [4.0, 3.0], "unseen": [4.5, 4.0]})
    axes = drawn[0].axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == [[4, 3], [4.5, 4]]
    assert axes.get_ylim()[0] == 0


def test_a_piece_spreads_its_cost_over_its_letters(drawn):
    figures.draw_costs({"one": [("ab", 8.0), ("c", 8.0)]}, across=2)
    axes = drawn[0].axes[0]
    assert written(axes) == ["a", "b", "c"]
    first, second, third = (patch.get_facecolor() for patch in axes.patches)
    assert first == second == figures.SEQUENTIAL(0.5)
    assert third == figures.SEQUENTIAL(1.0)
    assert axes.patches[2].get_xy() == (0, -2)  # in the second line


def test_rivals_are_lines_across_what_was_measured(drawn):
    figures.draw_learning([0.5, 40], [3.0, 1.3], rivals={"xz": 1.8})
    axes = drawn[0].axes[0]
    learned, rival = axes.lines
    assert list(learned.get_ydata()) == [3.0, 1.3]
    assert list(rival.get_ydata()) == [1.8, 1.8]
    assert written(axes) == ["xz"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [
        *("1", "3", "10", "30")
    ]


def test_kinds_are_drawn_against_steps(drawn):
    figures.draw_kinds([1, 10], {"names": [1.0, 0.8], "ends": [0.9, 0.2]})
    axes = drawn[0].axes[0]
    assert list(axes.lines[1].get_ydata()) == [0.9, 0.2]
    assert axes.get_xscale() == "log"


def test_a_verdict_has_a_row_for_each_name_and_a_mark_for_each_way(drawn):
    figures.draw_verdict({"letters": 4.0, "model": 1.4}, {"xz": 1.8, "model": 1.3})
    axes = drawn[0].axes[0]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == ["letters", "xz", "model"]
    frozen, adaptive = axes.lines
    assert [list(frozen.get_xdata()), list(frozen.get_ydata())] == [[4.0, 1.4], [0, 2]]
    assert list(adaptive.get_ydata()) == [1, 2]


def test_groups_of_tokens_are_dots_beside_the_diagonal(drawn):
    figures.draw_calibration([0.1, 0.9], [0.2, 0.8], [1000, 10])
    dots = drawn[0].axes[0].collections[0]
    assert dots.get_offsets().tolist() == [[0.1, 0.2], [0.9, 0.8]]
    assert dots.get_sizes().tolist() == pytest.approx([42, 22])
