"""The figures of the field guide show the numbers that they are given."""

import numpy as np

from chapters.field_guide import figures as field_guide


def test_the_families_show_each_word_and_each_bias_up_to_the_diagonal(drawn):
    field_guide.draw_families(["dog", "bites"], [[0.0, -0.5], [-0.5, 0.0]])
    added, turned, scores = drawn[0].axes
    for axes in (added, turned):
        words = [text.get_text() for text in axes.texts]
        assert {"dog", "bites"} <= set(words)
    shown = [text.get_text() for text in scores.texts]
    assert shown == ["0", "\N{MINUS SIGN}0.5", "0"]


def test_shares_stand_in_percent_over_the_names_of_their_ranges(drawn):
    field_guide.draw_shares([1, 2, 4], {"model": [0.5, 0.25]})
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_ydata()) == [50.0, 25.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2 to 3"]


def test_curves_stand_at_the_middle_of_their_blocks(drawn):
    panels = [{"a": [[1.0, 3.0], [3.0, 5.0]]}, {"b": [[1.0, 1.0]]}]
    field_guide.draw_curves(panels, block=16, trained=16, baseline=2.5)
    line = drawn[0].axes[0].lines[0]
    assert list(line.get_xdata()) == [8.0, 24.0]
    assert list(line.get_ydata()) == [2.0, 4.0]


def test_each_way_of_reading_has_a_row_of_dots_for_each_scheme(drawn):
    ways = {"all": {"a": (1.0, 2.0), "b": (3.0, 4.0)}, "window": {"a": (1,), "b": (2,)}}
    field_guide.draw_windowed(ways, baseline=2.5)
    axes = drawn[0].axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert [list(line.get_xdata()) for line in axes.lines[:2]] == [[1, 2], [3, 4]]
    assert np.all(axes.lines[0].get_ydata() < 0.5)
