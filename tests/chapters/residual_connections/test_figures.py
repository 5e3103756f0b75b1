"""The figures on residual connections show what they are given."""

import pytest

from chapters.residual_connections import figures


def test_the_residual_stack_has_a_sum_for_each_sublayer(drawn):
    figures.draw_stacks(3)
    plain, residual = drawn[0].axes
    words = [[text.get_text() for text in axes.texts] for axes in (plain, residual)]
    assert [text.count("+") for text in words] == [0, 3]
    assert all(f"$F_{n}$" in text for text in words for n in (1, 2, 3))


def test_layers_show_the_mean_over_seeds(drawn):
    figures.draw_by_layer({"a": [[1.0, 3.0], [3.0, 5.0]]}, y_label="y")
    line = drawn[0].axes[0].lines[0]
    assert list(line.get_xdata()) == [1, 2]
    assert list(line.get_ydata()) == [2.0, 4.0]


@pytest.mark.parametrize("count", [1, 2])
def test_results_have_a_panel_for_each_depth(drawn, count):
    panels = {str(n): {"a": [1.0, 2.0], "b": [3.0, 3.0]} for n in range(count)}
    figures.draw_results(panels, baseline=2.5)
    assert [axes.get_title() for axes in drawn[0].axes] == list(panels)
    assert list(drawn[0].axes[0].lines[0].get_xdata()) == [1.0, 2.0]


def test_costs_have_a_dot_for_each_layer_and_text(drawn):
    rises = [[float(n), n + 0.5] for n in range(30)]
    figures.draw_costs({"left out": rises, "cut": rises}, guess=7.0)
    first, second, *others = drawn[0].axes[0].lines
    assert list(first.get_ydata()) == list(range(30))
    assert second.get_ydata()[0] == 0.5
    assert list(others[-1].get_ydata()) == [7.0, 7.0]


def test_shares_have_a_bar_for_each_text_and_layer(drawn):
    figures.draw_shares({"a": [0.0, 0.1, 0.9], "b": [0.2, 0.3, 0.5]})
    first, second = drawn[0].axes[0].containers
    assert [bar.get_height() for bar in first] == [0.0, 0.1, 0.9]
    assert second[0].get_x() > first[0].get_x()
