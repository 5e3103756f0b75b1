"""The figures on long texts show the numbers that they are given."""

import re
from fractions import Fraction

from chapters.long_texts import figures as long_texts


def test_the_merge_shows_three_numbers_of_each_tile_and_of_both(drawn):
    long_texts.draw_merge()
    texts = [text.get_text() for text in drawn[0].axes[0].texts]
    known = [re.findall(r"(?:ln|sum|mix) ([\d/]+)", text) for text in texts]
    first, second, both = ([*map(Fraction, k)] for k in known if len(k) == 3)
    shrink = first[0] / second[0]
    assert {"times 1", f"times {shrink}", str(both[2] / both[1])} <= {*texts}
    joined = [shrink * a + b for a, b in zip(first[1:], second[1:], strict=True)]
    assert both == [second[0], *joined]


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


def test_the_matrix_stands_on_one_side_and_then_on_the_other(drawn):
    long_texts.draw_latent()
    places = {}
    for panel in drawn[0].axes:
        for text in panel.texts:
            places[panel.get_title(), text.get_text()] = text.get_position()[0]
    kept, asked = places["unpacked", "kept: c"], places["unpacked", "query"]
    assert places["unpacked", "matrix"] == kept
    assert places["absorbed", "matrix"] == asked
