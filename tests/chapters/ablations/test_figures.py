"""The figures on ablations show the numbers that they are given."""

import pytest

from chapters.ablations import figures as ablations
from chapters.ablations.differences import Effect
from chapters.laboratory.study import Gain


def effect(variant, mean, *, group="heads", reach=0.1):
    return Effect(group, variant, Gain(mean, mean - reach, mean + reach))


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
    later = [effect("1 heads", 0.05), effect("smoothing", 0.5, group="loss")]
    ablations.draw_effects({7: [CLEAR, VAGUE], 29: later}, x_label="x", low=-1, high=1)
    axes = drawn[0].axes[0]
    marks = [line for line in axes.lines if len(line.get_xdata()) == 1]
    faces = [(mark.get_xdata()[0], mark.get_markerfacecolor()) for mark in marks]
    assert faces == [
        (-0.5, ablations.BLUE),
        (0.05, "white"),
        (0.05, "white"),
        (0.5, ablations.ORANGE),
    ]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["heads: 1 head", "loss: smoothing"]
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["7 steps", "29 steps"]


def test_intervals_are_cut_at_the_ends_of_the_axis(drawn):
    wide = [effect("a", 0.0, reach=9)]
    ablations.draw_effects({7: wide, 29: wide}, x_label="x", low=-1, high=2)
    assert list(drawn[0].axes[0].lines[0].get_xdata()) == [-1, 2]


def test_groups_are_parted_by_a_gap():
    assert ablations.with_gaps([CLEAR, CLEAR, VAGUE]) == [CLEAR, CLEAR, None, VAGUE]


def test_rates_show_a_gain_and_its_interval_for_each(drawn):
    found = [Gain(-0.5, -0.6, -0.4), Gain(0.25, 0.0, 0.5)]
    three = {"none": found, "2 d": found, "post": found}
    ablations.draw_rates(three, rates=(0.001, 0.01), y_label="y")
    axes = drawn[0].axes[0]
    _, curve, low, _, *_ = axes.lines
    assert list(curve.get_ydata()) == [-0.5, 0.25]
    assert list(low.get_ydata()) == [-0.6, -0.4]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.001", "0.01"]


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


def test_hills_show_means_and_what_the_second_gains(drawn):
    models = {"a": [[0.2, 0.4], [0.8, 0.6]], "b": [[0.0, 0.2], [0.8, 1.0]]}
    found = [Gain(-0.2, -0.3, -0.1), Gain(0.2, 0.1, 0.3)]
    ablations.draw_hills(models, rates=(0.1, 0.3), gains=found, y_label="y")
    axes = drawn[0].axes[0]
    curves = [line for line in axes.lines if line.get_label() in models]
    heights = [list(line.get_ydata()) for line in curves]
    assert heights == [pytest.approx([0.3, 0.7]), pytest.approx([0.1, 0.9])]
    places = [(text.get_position()[1], text.get_text()) for text in axes.texts]
    assert places == [
        (pytest.approx(0.2), "\N{MINUS SIGN}0.20"),
        (pytest.approx(0.8), "+0.20"),
    ]


def test_what_is_taken_out_shows_the_mean_and_range_of_the_texts(drawn):
    rises = {
        "attention": [[1.0, 3.0], [3.0, 5.0]],
        "networks": [[0.0, 2.0], [1.0, 4.0]],
    }
    ablations.draw_taken_out(rises, named={2: "here"})
    axes = drawn[0].axes[0]
    means = [list(line.get_ydata()) for line in axes.lines[:2]]
    assert means == [[2.0, 4.0], [0.5, 3.0]]
    ends = [path.vertices[:, 1].tolist() for path in axes.collections[1].get_paths()]
    assert ends == [[0.0, 1.0], [2.0, 4.0]]
    assert axes.texts[0].xy == (pytest.approx(2.15), 3.0)
