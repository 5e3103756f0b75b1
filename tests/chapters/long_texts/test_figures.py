"""The figures on long texts show the numbers that they are given."""

import numpy as np
import pytest

from chapters.long_texts import figures as long_texts


def full_and_all(axes):
    """The areas of the full parts, and of the places of the tokens."""
    areas = {True: [], False: []}
    for patch in axes.patches:
        areas[patch.get_fill()].append(patch.get_width() * patch.get_height())
    return areas[True], areas[False]


def test_a_square_is_as_full_as_what_is_kept(drawn):
    long_texts.draw_kept({"all": [1.0, 1.0], "some": [0.0, 0.25]})
    axes = drawn[0].axes[0]
    full, places = full_and_all(axes)
    assert len(set(places)) == 1
    shares = [area / places[0] for area in full]
    assert shares == pytest.approx([1, 1, 0, 0.25])
    assert [text.get_text() for text in axes.texts] == ["all", "100%", "some", "12%"]
    middles = [
        patch.get_center().tolist() for patch in axes.patches if patch.get_fill()
    ]
    assert np.array(middles) == pytest.approx(
        np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    )
    assert axes.yaxis_inverted()  # the first way on top


def test_a_circle_is_written_from_the_top_again(drawn):
    long_texts.draw_circle(3, 5)
    texts = {text.get_position(): text for text in drawn[0].axes[0].texts}
    last = [texts[4, place].get_text() for place in range(3)]
    assert last == ["3", "4", "2"]
    bold = [at for at, text in texts.items() if text.get_fontweight() == "bold"]
    assert sorted(bold) == [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1)]


def test_courses_are_drawn_with_where_the_first_token_leaves(drawn):
    long_texts.draw_courses([1, 2], {"a": [3.0, 4.0], "b": [5.0, 6.0]}, window=2)
    first, second, line = drawn[0].axes[0].lines
    assert list(first.get_ydata()) == [3.0, 4.0]
    assert list(second.get_ydata()) == [5.0, 6.0]
    assert list(line.get_xdata()) == [2, 2]
