"""The figures on real models show the numbers that they are given."""

from itertools import combinations

import pytest

from chapters.model_zoo import figures as model_zoo


def test_no_heir_is_older_than_its_parent():
    for parent, heir in model_zoo.HEIRS:
        assert model_zoo.TREE[parent][0] <= model_zoo.TREE[heir][0]


def test_pieces_are_to_scale_apart_and_of_one_color_if_of_one_shape(drawn):
    model_zoo.draw_pieces(d_model=7, key_features=3, d_ff=17)
    axes = drawn[0].axes[0]
    names = [text.get_text().split("\n") for text in axes.texts]
    shapes = {"ffn_gate": (17, 7), "ffn_up": (17, 7), "ffn_down": (7, 17)}
    shapes |= {"attn_q": (7, 7), "attn_output": (7, 7)}
    shapes |= {"attn_k": (3, 7), "attn_v": (3, 7)}
    assert dict(names) == {
        n: f"{rows}\N{MULTIPLICATION SIGN}{columns}"
        for n, (rows, columns) in shapes.items()
    }
    drawn_as = [(piece.get_height(), piece.get_width()) for piece in axes.patches]
    assert drawn_as == [shapes[name] for name, _ in names]
    assert axes.get_aspect() == 1
    colors = [piece.get_edgecolor() for piece in axes.patches]
    pairs = list(combinations(range(7), 2))
    for a, b in pairs:
        assert (colors[a] == colors[b]) == (drawn_as[a] == drawn_as[b])
        one, other = axes.patches[a].get_bbox(), axes.patches[b].get_bbox()
        assert not one.overlaps(other)


def test_a_block_shows_its_bytes_their_halves_and_its_weights(drawn):
    block = [0, 1, 2, 3, *range(16, 32)]
    weights = [float(n) for n in range(32)]
    model_zoo.draw_block(block, weights)
    top, bottom = drawn[0].axes
    rows = {1.2: block[:4]}
    for y, half in ((0, 0), (model_zoo.LOWER, 8)):
        rows[y] = block[4 + half : 12 + half]
        rows[y - 0.75], rows[y - 1.3] = [*range(half, half + 8)], 8 * [1]
    for height, numbers in rows.items():
        found = [t for t in top.texts if t.get_position()[1] == height]
        shown = [t.get_text() for t in found if t.get_text().isdigit()]
        assert shown == [str(number) for number in numbers]
    green, pink = bottom.lines
    assert list(green.get_ydata()) == weights[:16]
    assert list(pink.get_xdata()) == list(range(17, 33))


def test_pairs_are_joined_as_each_layout_says(drawn):
    model_zoo.draw_pairs(4)
    joined = [[list(line.get_xdata()) for line in axes.lines] for axes in drawn[0].axes]
    assert joined == [[[0, 1], [2, 3]], [[0, 2], [1, 3]]]
    spans = [
        [(arc.center[0], arc.width) for arc in axes.patches] for axes in drawn[0].axes
    ]
    assert spans == [[(0.5, 1), (2.5, 1)], [(1, 2), (2, 2)]]


def test_storage_shows_both_orders(drawn):
    model_zoo.draw_storage(num_heads=2, d_head=1)
    found = [[t.get_text() for t in axes.texts] for axes in drawn[0].axes]
    assert found[0] == ["Q\n1", "Q\n2", "K\n1", "K\n2", "V\n1", "V\n2"]
    assert found[1] == ["Q\n1", "K\n1", "V\n1", "Q\n2", "K\n2", "V\n2"]


def test_faults_stand_at_their_sizes_on_a_logarithmic_axis(drawn):
    model_zoo.draw_faults({"a": 1e-3, "b": 2.0}, bound=1e-5)
    axes = drawn[0].axes[0]
    assert axes.get_xscale() == "log"
    assert list(axes.lines[0].get_xdata()) == [1e-3, 2.0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b"]


def test_senses_have_a_panel_for_each_word(drawn):
    model_zoo.draw_senses({"a": [[1.0, 0.5], [0.5, 1.0]]}, ["1", "2"])
    axes = drawn[0].axes[0]
    assert axes.get_title() == "a"
    assert axes.images[0].get_array().tolist() == [[1.0, 0.5], [0.5, 1.0]]


def test_depths_begin_with_the_embedding(drawn):
    curves = {"same": [1.0, 0.9, 0.8], "other": [1.0, 0.8, 0.6]}
    model_zoo.draw_depths({"a": curves, "b": curves})
    axes = drawn[0].axes[0]
    assert list(axes.lines[1].get_ydata()) == [1.0, 0.8, 0.6]
    names = [text.get_text() for text in axes.get_xticklabels()]
    assert names == ["word", "0", "1"]


def test_recipes_have_a_panel_for_each_budget(drawn):
    model_zoo.draw_recipes({"few": {"a": [1.0, 3.0]}, "many": {"a": [0.0, 1.0]}})
    left, right = drawn[0].axes
    assert left.get_title() == "few"
    assert list(left.lines[0].get_xdata()) == [1.0, 3.0]
    assert left.lines[1].get_xdata() == pytest.approx([2.0])
    assert list(right.lines[0].get_xdata()) == [0.0, 1.0]
