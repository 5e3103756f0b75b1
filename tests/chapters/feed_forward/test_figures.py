"""The figures on the feed-forward network show the numbers that they are given."""

import numpy as np
import pytest

from chapters.feed_forward import figures as feed_forward

PHRASES = ["neither", "one", "other", "both"]


def test_a_corner_of_a_sheet_is_as_high_as_its_number(drawn):
    numbers = np.array([-1, 0, 0.5, 1])
    feed_forward.draw_sheets(PHRASES, {"a": [0, 0, 0, 2], "b": numbers})
    axes = drawn[0].axes[1]
    ground, sheet, *others = (line.get_xydata() for line in axes.lines)
    assert (sheet - ground)[:4] == pytest.approx(
        np.outer(numbers[[0, 1, 3, 2]], (0, feed_forward.RISE))
    )
    stems = [points for points in others if len(points) == 2][-4:]
    assert np.ptp(stems, axis=1) == pytest.approx(
        np.outer(abs(numbers), (0, feed_forward.RISE))
    )
    said = [text.get_text() for text in axes.texts]
    assert said == ["neither: $-1$", "one: $0$", "other: $0.5$", "both: $1$"]


def test_a_sheet_folds_only_where_no_sum_would_do(drawn):
    sheets = {"flat": [-1, 0, 0, 1], "leaning": [1, 3, 4, 6], "bent": [0, 0, 0, 1]}
    feed_forward.draw_sheets(PHRASES, sheets)
    folds = [
        [line for line in axes.lines if line.get_label() == "fold"]
        for axes in drawn[0].axes
    ]
    assert [len(found) for found in folds] == [0, 0, 1]
    ends = folds[2][0].get_xydata()
    assert ends == pytest.approx(np.stack((feed_forward.HOT, feed_forward.DOG)))


def test_each_position_has_its_network_and_no_line_to_another(drawn):
    feed_forward.draw_positions(["a", "b"], d_model=2, d_ff=3)
    axes = drawn[0].axes[0]
    lines = [line for line in axes.lines if line.get_linestyle() == "-"]
    assert len(lines) == 2 * (2 * 3 + 3 * 2)
    assert all(abs(np.diff(line.get_xdata())).item() < 1 for line in lines)
    assert {"a", "b"} <= {text.get_text() for text in axes.texts}


def test_the_hat_is_the_sum_of_the_units(drawn):
    bent = {"one": [0.0, 1.0, 2.0], "two": [0.0, 0.0, -2.0]}
    feed_forward.draw_hat([-1, 0, 1], bent, [0.0, 0.0, 0.0])
    right = drawn[0].axes[1]
    assert list(right.lines[0].get_ydata()) == [0.0, 1.0, 0.0]
    assert list(right.lines[1].get_ydata()) == [0.0, 0.0, 0.0]


def test_angles_are_shares_of_all_pairs(drawn):
    feed_forward.draw_angles({"two": [89.5, 91.0, 91.5, 30.0]})
    (line,) = drawn[0].axes[0].lines
    found = {x: y for x, y in zip(*line.get_data(), strict=True) if y}
    assert found == {31: 25, 89: 25, 91: 50}


def test_a_bar_is_as_long_as_its_strength(drawn):
    feed_forward.draw_strengths({"a b": 3.0, "b": -0.5}, x_label="strength")
    axes = drawn[0].axes[0]
    assert [bar.get_width() for bar in axes.patches] == [3.0, -0.5]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a b", "b"]


def test_shares_lie_side_by_side(drawn):
    shares = {"m": {"x": 0.25, "y": 0.75}, "n": {"x": 0.5, "y": 0.5}}
    feed_forward.draw_shares(shares)
    bars = drawn[0].axes[0].patches
    assert [bar.get_width() for bar in bars] == [25, 50, 75, 50]
    assert [bar.get_x() for bar in bars] == [0, 0, 25, 50]


def test_results_have_a_dot_for_each_seed(drawn):
    feed_forward.draw_results({"a": [1.0, 2.0], "b": [3.0, 3.0]}, x_label="nats")
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [1.0, 2.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
