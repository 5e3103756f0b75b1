"""The figures on heads and masks show the numbers that they are given."""

from chapters.multi_head_attention import figures


def test_each_head_takes_its_answer_from_the_word_that_it_looks_at(drawn):
    answers = {"what?": (1, "many"), "who?": (0, "one")}
    figures.draw_two_questions(["she", "pens", "lost"], answers)
    axes = drawn[0].axes[0]
    places = {t.get_text(): t.get_position() for t in axes.texts if t.get_text()}
    starts = [t.xyann[0] for t in axes.texts if hasattr(t, "xyann")][::2][:2]
    assert starts == [places["pens"][0], places["she"][0]]
    assert places["head 1: what?"][0] < places["head 2: who?"][0]
    assert places["asks"][0] == places["lost"][0]
    assert "added to the vector of lost" in places


def test_stripes_show_the_weights_of_each_head(drawn):
    maps = {"one": [[1.0, 0.0], [0.25, 0.75]], "two": [[1.0, 0.0], [0.5, 0.5]]}
    figures.draw_stripes(maps)
    panels = drawn[0].axes
    assert [panel.get_title() for panel in panels] == ["one", "two"]
    assert [panel.images[0].get_array().tolist() for panel in panels] == [
        *maps.values()
    ]


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
