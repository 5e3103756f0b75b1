"""The figures on training show the numbers that they are given."""

import pytest

from chapters.training import figures as training


def test_a_batch_has_a_panel_for_each_side_and_grey_for_what_is_empty(drawn):
    panels = {"read": [["a", "pad"], ["b", "c"]], "said": [["d"], ["e"]]}
    training.draw_batch(panels, empty=("pad",))
    read, said = drawn[0].axes
    assert [axes.get_title() for axes in (read, said)] == ["read", "said"]
    assert [text.get_text() for text in read.texts] == ["a", "pad", "b", "c"]
    grey = [patch.get_facecolor()[0] < 0.9 for patch in read.patches]
    assert grey == [False, True, False, False]


def test_losses_show_their_least_value(drawn):
    training.draw_losses([0.1, 0.9], {"a": [2.0, 0.1], "b": [2.5, 0.5]}, least=0.4)
    lines = drawn[0].axes[0].lines
    assert list(lines[1].get_ydata()) == [2.5, 0.5]
    assert list(lines[2].get_ydata()) == [0.4, 0.4]


def test_learning_rates_are_shown_in_thousandths(drawn):
    panels = {"one": {"a": [1e-4, 2e-4]}, "two": {"a": [3e-4, 0.0]}}
    training.draw_schedules([1000, 2000], panels)
    one, two = drawn[0].axes
    assert list(one.lines[0].get_xdata()) == [1, 2]
    assert list(two.lines[0].get_ydata()) == pytest.approx([0.3, 0])


def test_curves_show_the_mean_of_the_seeds(drawn):
    panels = {"share": {"a": [[0.0, 1.0], [0.5, 1.0]]}, "nats": {"a": [[4.0, 1.0]]}}
    training.draw_curves([50, 100], panels)
    share, nats = drawn[0].axes
    assert list(share.lines[0].get_ydata()) == [0.25, 1.0]
    assert nats.get_ylabel() == "nats"
    assert share.get_ylim()[0] == nats.get_ylim()[0] == 0


def test_overfitting_has_one_scale_for_all_panels(drawn):
    panels = {
        "none": {"learned": [[1.0, 0.1]], "held out": [[1.0, 0.5]]},
        "some": {"learned": [[1.0, 0.2]], "held out": [[1.0, 0.4]]},
    }
    training.draw_overfitting([50, 100], panels)
    left, right = drawn[0].axes
    assert left.get_yscale() == "log"
    assert left.get_ylim() == right.get_ylim()
    assert list(right.lines[1].get_ydata()) == [1.0, 0.4]


def test_cross_attention_names_what_is_read_and_written(drawn):
    weights = [[0.25, 0.754], [1.0, 0.0], [0.5, 0.5]]
    training.draw_cross_attention(
        {"a": weights, "b": weights}, rows=["x", "y", "z"], columns=["u", "v"]
    )
    axes = drawn[0].axes[0]
    assert axes.images[0].get_array()[0].tolist() == [0.25, 0.75]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["u", "v"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x", "y", "z"]


def test_the_long_gradient_is_marked(drawn):
    training.draw_spike([1, 2, 3], {"a": [1.0, 0.1, 0.2]}, spike=2)
    curve, mark = drawn[0].axes[0].lines
    assert list(curve.get_ydata()) == pytest.approx([1.0, 0.1, 0.2])
    assert list(mark.get_xdata()) == [2, 2]


def test_a_run_shows_its_losses_beside_those_of_simpler_models(drawn):
    looks = {1: "x", 2: "y", 10: "z"}
    losses = [4.0, 2.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.3, 0.5]
    training.draw_run(losses, {"guess": 4.5, "count": 3.0}, looks)
    curve, *others = drawn[0].axes[0].lines
    assert list(curve.get_xdata()) == [*range(1, 11)]
    assert list(curve.get_ydata()) == [*losses[:9], pytest.approx(0.4)]
    assert [line.get_ydata()[0] for line in others[:2]] == [4.5, 3.0]
    for seen in (others[2::2], others[3::2]):
        assert [line.get_ydata()[0] for line in seen] == [4.0, 2.0, 0.4]
    texts = [text.get_text() for text in drawn[0].axes[0].texts]
    assert texts == ["guess", "count", "x", "y", "z"]


def test_what_is_learned_by_heart_has_a_panel_and_steps_from_zero(drawn):
    panels = {"a": {"text": [1.0, 0.5, 0.1]}, "b": {"text": [2.0, 1.5, 1.1]}}
    training.draw_by_heart(panels)
    left, right = drawn[0].axes
    assert left.get_title() == "a"
    assert list(right.lines[0].get_xdata()) == [0, 1, 2]
    assert list(right.lines[0].get_ydata()) == [2.0, 1.5, 1.1]
