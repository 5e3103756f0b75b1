"""The figures on RMSNorm show the numbers that they are given."""

from chapters.rms_norm import figures as rms_norm


def test_two_norms_of_a_vector_have_one_scale_and_the_vector_its_mean(drawn):
    rows = {"RMSNorm": [0.5, 1.25], "LayerNorm": [-1.004, 1.0]}
    rms_norm.draw_norms([2.0, 5.0], rows)
    first, *norms = drawn[0].axes
    shown = [[bar.get_height() for bar in axes.patches] for axes in drawn[0].axes]
    assert shown == [[2.0, 5.0], *rows.values()]
    assert [text.get_text() for text in norms[1].texts] == ["\N{MINUS SIGN}1", "1"]
    assert [axes.get_title() for axes in norms] == [*rows]
    assert norms[0].get_ylim() == norms[1].get_ylim() != first.get_ylim()
    assert [*first.lines[-1].get_ydata()] == [3.5, 3.5]


def test_a_shift_shows_a_curve_for_each_feature(drawn):
    rms_norm.draw_shift([0.0, 1.0], [[1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0]] * 2)
    left, right = drawn[0].axes
    assert [list(line.get_ydata()) for line in left.lines] == [[1.0, 3.0], [2.0, 4.0]]
    assert right.get_title() == "LayerNorm"


def test_eps_is_shown_on_logarithmic_axes(drawn):
    rms_norm.draw_eps([0.1, 1.0], {"inside": [0.5, 1.0]})
    axes = drawn[0].axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert list(axes.lines[0].get_ydata()) == [0.5, 1.0]


def test_results_have_a_panel_for_each_budget_and_a_dot_for_each_seed(drawn):
    rms_norm.draw_results({"2": {"rms": (1.5, 1.7)}, "8": {"rms": (2.0,)}})
    left, right = drawn[0].axes
    assert list(left.lines[0].get_xdata()) == [1.5, 1.7]
    assert right.get_title() == "8"


def test_shares_show_the_mean_of_the_seeds_and_the_random_vector(drawn):
    rms_norm.draw_mean_shares({"rms": [[0.1, 0.2], [0.3, 0.2]]}, random=0.25)
    axes = drawn[0].axes[0]
    assert axes.lines[0].get_ydata().round(9).tolist() == [0.2, 0.2]
    assert list(axes.lines[-1].get_ydata()) == [0.25, 0.25]


def test_times_have_a_dot_for_each_shape(drawn):
    rms_norm.draw_times({"a": {"F.layer_norm": (1, 1), "F.rms_norm": (2, 3)}, "b": {}})
    axes = drawn[0].axes[0]
    assert list(axes.lines[1].get_xdata()) == [2, 3]
    assert axes.get_xscale() == "log"


def test_directions_have_a_row_for_each_kind_and_a_line_for_the_mean(drawn):
    rises = {"random": [0.1, 0.2], "features": [0.0, 8.0]}
    rms_norm.draw_directions(rises, mean=0.15, names={1: "the giant"})
    axes = drawn[0].axes[0]
    assert [list(line.get_xdata()) for line in axes.lines[:2]] == [*rises.values()]
    assert list(axes.lines[2].get_xdata()) == [0.15, 0.15]
    (place,) = (text.xy for text in axes.texts if text.get_text() == "the giant")
    assert place[0] == 8.0


def test_gains_show_one_feature_and_the_median_of_the_others(drawn):
    rms_norm.draw_gains([[1.0, 5.0, 3.0, 2.0], [4.0, 0.1, 4.0, 6.0]], 1)
    middle, one = drawn[0].axes[0].lines
    assert list(middle.get_ydata()) == [2.0, 4.0]
    assert list(one.get_ydata()) == [5.0, 0.1]
