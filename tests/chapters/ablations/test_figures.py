"""The figures on ablations show the numbers that they are given."""

import pytest

from chapters.ablations import figures as ablations
from chapters.ablations.differences import Effect


def effect(variant, mean, *, group="heads", reach=0.1):
    return Effect(group, variant, 0.005, 7, (mean,), mean, mean - reach, mean + reach)


CLEAR, VAGUE = effect("1 heads", -0.5), effect("smoothing", 0.05, group="loss")


def dots(axes):
    return [
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in axes.lines
        if line.get_marker() in ("o", "D") and len(line.get_xdata()) == 1
    ]


def test_pairs_join_the_results_of_a_seed(drawn):
    ablations.draw_pairs([0.1, 0.3], [0.2, 0.5], paired=(0.15, 0.0, 0.3), label="y")
    left, right = drawn[0].axes
    assert [list(line.get_ydata()) for line in left.lines] == [[0.1, 0.2], [0.3, 0.5]]
    assert list(right.lines[0].get_ydata()) == pytest.approx([0.1, 0.2])


def test_effects_are_filled_where_the_interval_leaves_out_zero(drawn):
    ablations.draw_effects([CLEAR, VAGUE], x_label="x", low=-1, high=1)
    axes = drawn[0].axes[0]
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    assert [mark.get_markerfacecolor() for mark in marks] == [ablations.BLUE, "white"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["heads: 1 head", "loss: smoothing"]


def test_intervals_are_cut_at_the_ends_of_the_axis(drawn):
    ablations.draw_effects([effect("a", 0.0, reach=9)], x_label="x", low=-1, high=2)
    assert list(drawn[0].axes[0].lines[0].get_xdata()) == [-1, 2]


def test_groups_are_parted_by_a_gap():
    assert ablations.with_gaps([CLEAR, CLEAR, VAGUE]) == [CLEAR, CLEAR, None, VAGUE]


def test_two_rates_mark_a_change_of_sign(drawn):
    fast = [effect("1 heads", 0.2), VAGUE]
    ablations.draw_two_rates(
        [CLEAR, VAGUE], fast, rates=("a", "b"), named=["smoothing"]
    )
    axes = drawn[0].axes[0]
    assert dots(axes) == [(-0.5, 0.2), (0.05, 0.05)]
    assert [line.get_marker() for line in axes.lines[3:]] == ["D", "o"]
    assert [text.get_text() for text in axes.texts] == ["smoothing"]


def test_two_tasks_show_a_point_for_each_change(drawn):
    points = {"a": (1.0, -2.0), "b": (0.5, 0.25), "c": (-0.5, 0.25)}
    ablations.draw_two_tasks(
        points, clear=["a", "b"], x_label="x", y_label="y", named=["a"]
    )
    axes = drawn[0].axes[0]
    assert dots(axes) == [(1.0, -2.0), (0.5, 0.25), (-0.5, 0.25)]
    colors = [line.get_color() for line in axes.lines[2:]]
    assert colors == [ablations.ORANGE, ablations.BLUE, ablations.GREY]
    assert axes.lines[4].get_markerfacecolor() == "white"


def test_two_budgets_show_mean_and_range(drawn):
    ablations.draw_two_budgets({"a": [(0.25, 0.75), (1.0, 1.0)]})
    short, mean, long, _ = drawn[0].axes[0].lines
    assert list(short.get_xdata()) == [0.25, 0.75]
    assert list(mean.get_xdata()) == [0.5]
    assert list(long.get_xdata()) == [1.0, 1.0]
