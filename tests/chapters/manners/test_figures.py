"""The figures on manners show the numbers that they are given."""

import pytest

from chapters.manners import figures


def written(axes):
    return [text.get_text() for text in axes.texts]


def test_each_token_has_a_box_and_those_that_count_a_thick_one(drawn):
    figures.draw_talk(
        ["<start>", "user", "\n", " Hi", "<end>"], [False] * 3 + [True] * 2
    )
    axes = drawn[0].axes[0]
    assert written(axes) == ["<start>", "user", "↵", "·Hi", "<end>"]
    widths = [box.get_linewidth() for box in axes.patches]
    assert widths[:3] == [0.8] * 3
    assert widths[3:] == [2.2] * 2


def test_lines_of_tokens_end_before_the_edge(drawn):
    figures.draw_talk(["word"] * 40, [False] * 40)
    axes = drawn[0].axes[0]
    ends = [box.get_x() + box.get_width() for box in axes.patches]
    assert max(ends) <= figures.WIDTH
    assert len({box.get_y() for box in axes.patches}) > 1


def test_prices_are_drawn_over_their_logarithm(drawn):
    figures.draw_prices([0.1, 1.0, 10.0], [0.9, 0.5, 0.2], reference=0.2)
    axes = drawn[0].axes[0]
    assert axes.get_xscale() == "log"
    assert list(axes.lines[0].get_ydata()) == [0.9, 0.5, 0.2]
    assert "the reference" in written(axes)


def test_courses_have_a_panel_each_and_one_legend(drawn):
    curves = {"No": [0.1, 0.5], "Never": [0.1, 0.0]}
    figures.draw_courses({"slow": curves, "fast": curves}, x_label="step", y_label="p")
    slow, fast = drawn[0].axes
    assert (slow.get_title(), fast.get_title()) == ("slow", "fast")
    assert list(slow.lines[0].get_ydata()) == pytest.approx([0.1, 0.5])
    assert [text.get_text() for text in slow.get_legend().get_texts()] == [*curves]
    assert fast.get_legend() is None


def test_a_gamed_reward_is_drawn_as_the_mean_of_its_trainings(drawn):
    figures.draw_gamed({"right": [[0.5, 0.1], [0.5, 0.3]]}, steps=10)
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [0, 10]
    assert list(axes.lines[0].get_ydata()) == pytest.approx([0.5, 0.2])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["right"]


def test_answers_above_the_mean_are_pushed_up(drawn):
    figures.draw_group(["42", "32", "42"], [1, 0, 1])
    axes = drawn[0].axes[0]
    arrows = [text for text in axes.texts if getattr(text, "arrow_patch", None)]
    up = [arrow.xy[1] > arrow.get_position()[1] for arrow in arrows]
    assert up == [True, False, True]
