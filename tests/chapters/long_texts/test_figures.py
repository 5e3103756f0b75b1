"""The figures on long texts show the numbers that they are given."""

from chapters.long_texts import figures as long_texts


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
