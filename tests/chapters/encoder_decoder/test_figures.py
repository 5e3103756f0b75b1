"""The figures on the encoder and the decoder show the numbers that they are given."""

import numpy as np

from chapters.encoder_decoder import figures


def texts(axes):
    return {text.get_text(): text.get_position() for text in axes.texts}


def test_both_stacks_have_their_layers_at_equal_heights(drawn):
    figures.draw_stacks(layers=3, source="in", target="so far", result="next")
    places = texts(drawn[0].axes[0])
    assert places["so far"][1] == places["in"][1] < places["next"][1]
    for n in (1, 2, 3):
        left, right = places[f"encoder layer {n}"], places[f"decoder layer {n}"]
        assert left[0] < right[0]
        assert left[1] == right[1]
    assert places[r"memory $\mathbf{M}$"][1] > places["encoder layer 3"][1]


def test_the_way_of_a_word_has_its_steps_from_the_top_with_their_numbers(drawn):
    figures.draw_way({"first": [0.0, 2.0], "last": [1.0, 3.14]}, ["noun", "verb"])
    (axes,) = drawn[0].axes
    assert axes.images[0].get_array().tolist() == [[0.0, 2.0], [1.0, 3.14]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["first", "last"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["noun", "verb"]
    assert texts(axes)["3.1"] == (1, 1)


def test_families_are_filled_where_the_mask_is_true(drawn):
    masks = {"one": [[True, False], [True, True]], "two": [[True, True]] * 2}
    figures.draw_families(masks, source=1)
    shown = [axes.images[0].get_array() > 0 for axes in drawn[0].axes]
    assert [mask.tolist() for mask in shown] == list(masks.values())


def test_both_sides_share_one_scale_and_name_the_halves(drawn):
    small, large = np.full((4, 4), 0.1), np.full((4, 4), 0.3)
    figures.draw_both_sides({"one": small, "two": large}, kinds=["river", "money"])
    one, two = drawn[0].axes[:2]
    assert [axes.images[0].get_array().max() for axes in (one, two)] == [0.1, 0.3]
    assert one.images[0].get_clim() == two.images[0].get_clim() == (0.0, 0.3)
    assert [label.get_text() for label in two.get_yticklabels()] == ["river", "money"]
    assert list(two.get_xticks()) == [0.5, 2.5]


def test_dependence_is_colored_only_where_there_is_any(drawn):
    sizes = [[4.0, 0.0], [1.0, 2.0]]
    figures.draw_dependence({"one": sizes, "two": sizes}, source=1)
    shown = np.asarray(drawn[0].axes[0].images[0].get_array())
    assert shown[0, 1] == 0
    assert shown[0, 0] == shown[1, 1] == 1
    assert 0.15 < shown[1, 0] < 1


def test_faults_show_the_mean_loss_and_each_share(drawn):
    curves = {"a": [[2.0, 1.0], [4.0, 3.0]], "b": [[1.0, 0.5], [1.0, 0.5]]}
    figures.draw_faults(curves, {"a": [0.5, 1.0], "b": [0.0, 0.0]}, window=10)
    left, right = drawn[0].axes
    assert list(left.lines[0].get_xdata()) == [5, 15]
    assert list(left.lines[0].get_ydata()) == [3.0, 2.0]
    assert [list(line.get_xdata()) for line in right.lines] == [[0.5, 1.0], [0.0, 0.0]]
