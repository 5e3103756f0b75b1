"""The figures of the big picture show the numbers that they are given."""

import numpy as np
from numpy.testing import assert_allclose

from chapters.big_picture import figures as big_picture


def places(axes):
    """The texts of a picture, each with where it stands."""
    return {text.get_text(): text.get_position() for text in axes.texts}


def test_the_decoder_has_one_sublayer_more_and_no_third_stack_stands_beside_it(drawn):
    big_picture.draw_architecture()
    (axes,) = drawn[0].axes
    texts = [text.get_text() for text in axes.texts]
    assert texts.count("add, norm") == 5
    assert texts.count("embedding + position") == 2
    assert sum(text.endswith("N such layers") for text in texts) == 2
    found = places(axes)
    assert found["softmax"][1] > found["linear map"][1] > found["feed-forward"][1]


def test_the_memory_arrives_at_the_height_of_the_cross_attention(drawn):
    big_picture.draw_architecture()
    (axes,) = drawn[0].axes
    height = places(axes)["cross-attention"][1]
    assert any(line.get_ydata()[-1] == height for line in axes.lines)


def test_what_the_decoder_says_stands_above_what_it_reads(drawn):
    big_picture.draw_flow(["A", "end"], ["begin", "x"], ["y", "stop"])
    found = places(drawn[0].axes[0])
    assert found["begin"][0] == found["y"][0] < found["x"][0] == found["stop"][0]
    assert found["begin"][1] < found["y"][1]


def test_each_edge_and_each_step_of_the_way_is_an_arrow(drawn):
    parents = {(1, 0): {(0, 0)}, (1, 1): {(0, 1), (1, 0)}}
    way = [(0, 0), (1, 0), (1, 1)]
    big_picture.draw_paths({"a": (parents, way), "b": (parents, way)})
    for axes, name in zip(drawn[0].axes, "ab", strict=True):
        assert axes.get_title() == name
        arrows = [text for text in axes.texts if text.arrow_patch is not None]
        assert len(arrows) == 3 + 2


def test_costs_are_drawn_on_equal_factors_with_their_crossing(drawn):
    lengths, costs = np.array([1, 10]), {"a": np.array([3, 30]), "b": np.array([1, 99])}
    big_picture.draw_cost(lengths, costs, crossing=3.0)
    axes = drawn[0].axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert_allclose(axes.lines[0].get_ydata(), [3, 30])
    assert_allclose(axes.lines[-1].get_xdata(), [3, 3])


def test_learning_shows_the_mean_of_the_seeds_at_their_steps(drawn):
    rows = np.array([[0.0, 0.5], [0.2, 0.7]])
    big_picture.draw_learning({"p": {"x": rows}, "q": {"x": rows}}, every=10)
    for axes in drawn[0].axes:
        assert_allclose(axes.lines[0].get_xdata(), [0, 10])
        assert_allclose(axes.lines[0].get_ydata(), [0.1, 0.6])


def test_each_head_is_a_grid_of_its_weights(drawn):
    heads = {"head 1": np.eye(2), "head 2": np.full((2, 2), 0.5)}
    big_picture.draw_weights(heads, ["r", "s"], ["k", "l"])
    for axes, (title, weights) in zip(drawn[0].axes, heads.items(), strict=True):
        assert axes.get_title() == title
        assert_allclose(axes.images[0].get_array(), weights)
