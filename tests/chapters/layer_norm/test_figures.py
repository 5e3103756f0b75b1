"""The figures on skips and layer normalization show what they are given."""

import pytest

from chapters.layer_norm import figures as layer_norm


def colored(axes):
    """The lower left corners of the squares that are filled."""
    return [p.get_xy() for p in axes.patches if p.get_facecolor()[3] > 0]


def test_the_residual_stack_has_a_sum_for_each_sublayer(drawn):
    layer_norm.draw_stacks(3)
    plain, residual = drawn[0].axes
    words = [[text.get_text() for text in axes.texts] for axes in (plain, residual)]
    assert [text.count("+") for text in words] == [0, 3]
    assert all(f"$F_{n}$" in text for text in words for n in (1, 2, 3))


def test_batch_norm_colors_a_column_and_layer_norm_a_row(drawn):
    layer_norm.draw_axes(batch=2, time=3, d_model=5)
    batch, layer = (colored(axes) for axes in drawn[0].axes)
    assert {x for x, _ in batch} == {1}
    assert len(batch) == 2 * 3
    assert {x for x, _ in layer} == set(range(5))
    assert len({y for _, y in layer}) == 1


def test_the_circle_joins_each_vector_with_its_norm(drawn):
    layer_norm.draw_circle([[2.0, 0.0], [0.0, 0.5]], [[1.0, 0], [0, 1.0]], radius=1.0)
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [2.0, 1.0]
    assert axes.patches[0].radius == 1.0
    assert len(axes.lines) == 2 + 2


def test_layers_show_the_mean_over_seeds(drawn):
    layer_norm.draw_by_layer({"a": [[1.0, 3.0], [3.0, 5.0]]}, y_label="y")
    line = drawn[0].axes[0].lines[0]
    assert list(line.get_xdata()) == [1, 2]
    assert list(line.get_ydata()) == [2.0, 4.0]


@pytest.mark.parametrize("count", [1, 2])
def test_results_have_a_panel_for_each_depth(drawn, count):
    panels = {str(n): {"a": [1.0, 2.0], "b": [3.0, 3.0]} for n in range(count)}
    layer_norm.draw_results(panels, baseline=2.5)
    assert [axes.get_title() for axes in drawn[0].axes] == list(panels)
    assert list(drawn[0].axes[0].lines[0].get_xdata()) == [1.0, 2.0]


def test_shift_shows_a_mark_for_each_seed(drawn):
    layer_norm.draw_shift({"a": ([0.1, 0.2], [1.0, 2.0]), "b": ([3.0], [0.5])})
    first, second = drawn[0].axes[0].lines
    assert (list(first.get_xdata()), list(first.get_ydata())) == ([0.1, 0.2], [1, 2])
    assert first.get_marker() != second.get_marker()
