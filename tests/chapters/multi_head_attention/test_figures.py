"""The figures on heads and masks show the numbers that they are given."""

from chapters.multi_head_attention import figures


def test_three_heads_stand_side_by_side_below_the_output_projection(drawn):
    figures.draw_heads()
    places = {t.get_text(): t.get_position() for t in drawn[0].axes[0].texts}
    heads = [places[f"attention {i}"] for i in (1, 2, 3)]
    assert heads[0][0] < heads[1][0] < heads[2][0]
    assert len({height for _, height in heads}) == 1
    top = places[r"output projection $\mathbf{W}^O$"]
    assert top[1] > places["concatenate: features side by side"][1] > heads[0][1]


def test_look_ups_show_each_seed_and_each_question(drawn):
    accuracy = {"a": [[0.5, 0.25]], "b": [[1.0, 0.75]]}
    figures.draw_look_ups(accuracy, {"x": [[0.1, 0.9]], "y": [[0.8, 0.2]]})
    left, right = drawn[0].axes
    assert [line.get_xdata()[0] for line in left.lines[:4]] == [0.5, 0.25, 1.0, 0.75]
    assert [line.get_xdata()[0] for line in right.lines] == [0.1, 0.9, 0.8, 0.2]
    assert [text.get_text() for text in right.get_yticklabels()] == ["x", "y"]


def test_masks_are_filled_where_they_are_true(drawn):
    masks = {"one": [[True, False], [True, True]], "two": [[True, True]] * 2}
    figures.draw_masks(masks, ["a", "b"])
    shown = [axes.images[0].get_array() > 0 for axes in drawn[0].axes]
    assert [mask.tolist() for mask in shown] == list(masks.values())


def test_the_number_of_heads_shows_the_mean_and_the_range_of_each_budget(drawn):
    results = {"short": [[2.0, 4.0], [1.0, 1.5]], "long": [[1.0, 1.0], [0.5, 0.5]]}
    figures.draw_number_of_heads((1, 4), results)
    axes = drawn[0].axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == [[3, 1.25], [1, 0.5]]
    edges = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (edges.min(), edges.max()) == (1.0, 4.0)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [*results]


def test_missing_masks_show_the_mean_of_the_seeds(drawn):
    figures.draw_missing_masks((0, 5), {"a": [[1.0, 0.5], [0.5, 0.0]]})
    axes = drawn[0].axes[0]
    assert list(axes.lines[0].get_xdata()) == [0, 5]
    assert list(axes.lines[0].get_ydata()) == [0.75, 0.25]
