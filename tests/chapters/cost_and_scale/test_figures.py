"""The figures on cost and scale show the numbers that they are given."""

from chapters.cost_and_scale import figures as cost_and_scale


def test_the_crossings_stand_at_four_and_six_widths(drawn):
    cost_and_scale.draw_per_token([1, 2, 4], {"a": [1.0, 1.0, 1.0]}, 5)
    axes = drawn[0].axes[0]
    assert [line.get_xdata()[0] for line in axes.lines[1:]] == [20, 30]


def test_curves_show_what_was_measured(drawn):
    curves = {"a": [1.0, 2.0], "b": [3.0, 12.0]}
    cost_and_scale.draw_curves([2, 4], curves, x_label="x", y_label="y")
    axes = drawn[0].axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == list(curves.values())


def test_the_budgets_show_each_seed_and_the_mean(drawn):
    nats = {"small": {2: [1.0, 3.0], 4: [2.0, 2.0]}, "large": {2: [1.0], 4: [0.5]}}
    cost_and_scale.draw_budgets(nats, baseline=5.0)
    axes = drawn[0].axes[0]
    shown = [list(line.get_ydata()) for line in axes.lines]
    assert shown[:3] == [[1.0, 3.0], [2.0, 2.0], [2.0, 2.0]]
    assert shown[3:6] == [[1.0], [0.5], [1.0, 0.5]]
    assert shown[6][0] == 5.0
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["small", "large"]


def test_what_is_held_is_stacked_moment_by_moment(drawn):
    step = ["start", "forward", "forward", "loss", "backward", "backward", "gradients"]
    names = 2 * step
    moments = [
        {"moment": name, "weights": 2e9, "gradients": place * 1e9}
        for place, name in enumerate(names)
    ]
    cost_and_scale.draw_held(
        moments, ("weights", "gradients"), written=(2e9, 1e9), context=8
    )
    left, right = drawn[0].axes
    tops = [area.get_paths()[0].get_extents().y1 for area in left.collections]
    assert tops == [2, 2 + len(names) - 1]
    assert right.collections[1].get_paths()[0].get_extents().y1 == 3


def test_the_lowest_loss_of_each_fit_is_marked(drawn):
    losses = {"one": [3.0, 1.0, 2.0], "two": [4.0, 5.0, 3.5]}
    cost_and_scale.draw_valleys([1e9, 1e10, 1e11], losses, trained=7e10)
    marks = [
        line.get_xydata().tolist()
        for line in drawn[0].axes[0].lines
        if line.get_marker() == "o"
    ]
    assert marks == [[[1e10, 1.0]], [[1e11, 3.5]]]
