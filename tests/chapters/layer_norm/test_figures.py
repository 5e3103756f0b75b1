"""The figures on layer normalization show what they are given."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Annotation

from chapters.layer_norm import figures as layer_norm
from chapters.start import PAPER


def colored(axes):
    """The lower left corners of the squares that are filled."""
    return [p.get_xy() for p in axes.patches if p.get_facecolor()[3] > 0]


def test_what_the_unit_speaks_for_is_full(drawn):
    corners = np.array([[0.0, 0, 9], [1, 0, 9], [0, 1, 9], [1, 1, 9]])
    sizes = {str(size): size * corners for size in (0.25, 1.0, 3.0)}
    layer_norm.draw_phrases("abcd", {"one": sizes, "two": sizes}, bar=1.0)
    one, _ = drawn[0].axes
    marks = [line for line in one.lines if len(line.get_xdata()) == 1]
    paper = {to_hex(line.get_markerfacecolor()) == PAPER for line in marks}
    assert paper == {True, False}
    full = [
        tuple(line.get_xydata()[0])
        for line in marks
        if to_hex(line.get_markerfacecolor()) != PAPER
    ]
    assert full == [(1, 1), (3, 0), (0, 3), (3, 3)]
    shade = one.patches[0].get_xy()
    assert min(shade.sum(axis=1)) == pytest.approx(1.0)


def test_the_largest_of_the_phrases_are_named(drawn):
    sizes = {str(n): n * np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) for n in (1, 2, 3)}
    layer_norm.draw_phrases("abcd", {"one": sizes, "two": sizes}, bar=1.0)
    named = {
        text.get_text(): text.xy
        for text in drawn[0].axes[0].texts
        if isinstance(text, Annotation)
    }
    assert {name: tuple(place) for name, place in named.items()} == {
        "a": (0, 0),
        "b": (3, 0),
        "c": (0, 3),
        "d": (3, 3),
    }
    assert [text.get_text() for text in drawn[0].legends[0].texts] == ["1", "2", "3"]


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


def test_shift_shows_a_mark_for_each_seed(drawn):
    layer_norm.draw_shift({"a": ([0.1, 0.2], [1.0, 2.0]), "b": ([3.0], [0.5])})
    first, second = drawn[0].axes[0].lines
    assert (list(first.get_xdata()), list(first.get_ydata())) == ([0.1, 0.2], [1, 2])
    assert first.get_marker() != second.get_marker()


def test_trainings_have_a_mark_each_and_a_line_through_the_medians(drawn):
    shallow = {"with": {5: [3.0, 5.0], 7: [2.0]}, "without": {5: [1.0], 7: [6.0, 8.0]}}
    deep = {"with": {3: [9.0], 11: [8.0]}, "without": {3: [7.0], 11: [4.0]}}
    layer_norm.draw_trainings({"shallow": shallow, "deep": deep})
    one, other = drawn[0].axes
    line, marks, bare, _ = one.lines
    assert list(line.get_ydata()) == [4.0, 2.0]
    assert list(marks.get_xydata().T.ravel()) == [5, 5, 7, 3, 5, 2]
    assert list(bare.get_ydata()) == [1.0, 7.0]
    assert [mark.get_text() for mark in other.get_xticklabels()] == ["3", "11"]
    assert other.get_title() == "deep"


def test_sizes_beyond_the_axis_are_left_out(drawn):
    layer_norm.draw_sizes({"a": [1.0, 2.0, 3.0], "b": [1.0, 1e9, float("inf")]})
    calm, wild = drawn[0].axes[0].lines
    assert list(calm.get_xdata()) == [1.0, 1.5, 2.0]
    assert next(iter(wild.get_ydata())) == 1.0
    assert np.isnan(wild.get_ydata()[1:]).all()
