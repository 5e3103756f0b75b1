"""The figures on real models show the numbers that they are given."""

import pytest

from chapters.model_zoo import figures as model_zoo


def test_the_tree_names_every_model_and_has_an_arrow_for_each_heir(drawn):
    model_zoo.draw_family()
    words = [text.get_text() for text in drawn[0].axes[0].texts]
    assert set(model_zoo.TREE) <= set(words)
    heirs = {heir for _, heir in model_zoo.HEIRS}
    assert heirs | {"Transformer", "T5 1.0"} == set(model_zoo.TREE)


def test_no_heir_is_older_than_its_parent():
    for parent, heir in model_zoo.HEIRS:
        assert model_zoo.TREE[parent][0] <= model_zoo.TREE[heir][0]


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
