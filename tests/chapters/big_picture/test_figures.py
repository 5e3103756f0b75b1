"""The figures of the big picture show the numbers that they are given."""

import numpy as np
from numpy.testing import assert_allclose

from chapters.big_picture import figures as big_picture


def arrows(axes):
    """The arrows of a picture; each knows where it starts (xyann) and ends (xy)."""
    return [text for text in axes.texts if getattr(text, "arrow_patch", None)]


def places(axes):
    """The texts of a picture, each with where it stands."""
    return {text.get_text(): text.get_position() for text in axes.texts}


def test_each_edge_and_each_step_of_the_way_is_an_arrow(drawn):
    parents = {(1, 0): {(0, 0)}, (1, 1): {(0, 1), (1, 0)}}
    way = [(0, 0), (1, 0), (1, 1)]
    big_picture.draw_paths({"a": (parents, way), "b": (parents, way)}, ["u", "v"])
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


def test_the_words_stand_under_both_drawings_of_the_ways(drawn):
    graphs = {"a": big_picture.chain(3), "b": big_picture.everywhere(3)}
    big_picture.draw_paths(graphs, ["x", "y", "z"])
    for axes in drawn[0].axes:
        assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y", "z"]


def test_a_chain_passes_every_state_and_attention_none():
    parents, way = big_picture.chain(4)
    assert way == [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]
    assert parents[1, 2] == {(0, 2), (1, 1)}
    parents, way = big_picture.everywhere(4)
    assert way == [(0, 0), (1, 3)]
    assert parents[1, 2] == {(0, 0), (0, 1), (0, 2)}


def test_every_token_of_the_machine_looks_at_all_before_it(drawn):
    big_picture.draw_machine(["a", "b", "c"], "d", layers=7, looked_at=1)
    (axes,) = drawn[0].axes
    arches = [arrow for arrow in arrows(axes) if arrow.xy[0] != arrow.xyann[0]]
    assert sorted((t.xyann[0], t.xy[0]) for t in arches) == [(0, 1), (0, 2), (1, 2)]
    strong = [t.xy[0] for t in arches if t.arrow_patch.get_linewidth() == 3]
    assert strong == [2]
    assert "7 such layers" in places(axes)


def test_the_answer_climbs_and_the_guesses_stand_at_their_layers(drawn):
    big_picture.draw_guesses(np.array([90, 4, 1]), {0: "x", 2: "y"}, answer="y")
    (axes,) = drawn[0].axes
    assert_allclose(axes.lines[0].get_ydata(), [90, 4, 1])
    bottom, top = axes.get_ylim()
    assert bottom > top
    assert places(axes)["y"][0] == 2


def test_one_vector_goes_over_to_the_same_place_of_the_other_run(drawn):
    runs = {"x": ["a", "b", "c"], "y?": ["a", "d", "c"]}
    big_picture.draw_exchange(runs, place=1, layer=4, layers=8)
    (axes,) = drawn[0].axes
    (arch,) = [arrow for arrow in arrows(axes) if arrow.xy[0] != arrow.xyann[0]]
    found = places(axes)
    assert arch.xyann == (found["b"][0], 1.5)
    assert arch.xy == (found["d"][0], 1.5)
    assert found["x"][0] < found["y?"][0]


def test_the_journey_has_a_row_for_each_token(drawn):
    shares = np.array([[0.9, 0.1], [0.0, 0.7]])
    big_picture.draw_journey(shares, ["u", "v"], answer="y")
    axes = drawn[0].axes[0]
    assert_allclose(axes.images[0].get_array(), shares)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["u", "v"]
