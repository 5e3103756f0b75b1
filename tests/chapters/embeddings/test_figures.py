"""The figures on embeddings show the numbers that they are given."""

import numpy as np
import pytest

from chapters.embeddings import figures as embeddings


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_each_token_stands_above_its_id_and_its_vector(drawn):
    embeddings.draw_path(["a", "b"], [5, 9], [[1.0, -2.0], [0.5, 0.0]])
    axes = drawn[0].axes[0]
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert places["a"][0] == places["5"][0] != places["b"][0] == places["9"][0]
    assert places["a"][1] > places["5"][1]


def test_merging_shows_the_pieces_of_each_word_and_the_new_one(drawn):
    stages = {"start": {"aba": ["a", "b", "a"]}, "a+b": {"aba": ["ab", "a"]}}
    embeddings.draw_merging(stages, new=[None, "ab"])
    axes = drawn[0].axes[0]
    assert words(axes) == ["a", "b", "a", "ab", "a", "start", "a+b", "aba"]
    colors = {text.get_text(): text.get_color() for text in axes.texts}
    assert colors["ab"] == embeddings.ORANGE != colors["a"]
    assert axes.patches[3].get_width() > axes.patches[4].get_width()


def test_merges_show_the_lengths(drawn):
    embeddings.draw_merges([19, 30], {"seen": [4.0, 2.0], "new": [4.5, 3.0]})
    axes = drawn[0].axes[0]
    assert list(axes.lines[1].get_ydata()) == [4.5, 3.0]
    assert axes.get_ylim()[0] == 0


def test_a_look_up_shows_the_rows_that_were_found(drawn):
    table = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    embeddings.draw_look_up([[0, 0, 1], [1, 0, 0]], table, ["x", "y", "z"])
    product = drawn[0].axes[2].images[0].get_array()
    assert product.tolist() == [[5.0, 6.0], [1.0, 2.0]]


def test_words_that_lie_together_share_a_name(drawn):
    apart = [[0.0, 0.0], [3.0, 0.0], [0.0, 6.0]]
    joined = [[0.0, 0.0], [0.1, 0.0], [0.0, 6.0]]
    embeddings.draw_company({"start": apart, "end": joined}, ["cat", "dog", "car"])
    first, second = drawn[0].axes
    assert words(first) == ["cat", "dog", "car"]
    assert words(second) == ["cat\ndog", "car"]
    assert list(second.lines[2].get_xdata()) == [0.0, 0.1]
    assert list(first.lines[2].get_xdata()) == [0.0, 3.0]


def test_a_word_joins_two_groups_that_it_lies_between():
    rows = np.array([[0.0, 0.0], [0.8, 0.0], [0.4, 0.0], [3.0, 0.0]])
    assert embeddings.lying_together(rows) == [[0, 1, 2], [3]]


def test_relatives_show_their_cosines_and_where_a_kind_ends(drawn):
    embeddings.draw_relatives([[1.0, -0.2], [-0.2, 1.0]], ["red", "two"], [1])
    axes = drawn[0].axes[0]
    assert axes.images[0].get_array().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["red", "two"]
    assert axes.lines[0].get_ydata()[0] == pytest.approx(0.5)


def test_sums_hold_the_waves(drawn):
    embeddings.draw_sums({"one": [[1.0, 0.0]]}, [[0.5, -0.5]])
    first, second = drawn[0].axes
    assert first.images[0].get_array().tolist() == [[0.5, -0.5]]
    assert second.images[0].get_array().tolist() == [[1.5, -0.5]]


def test_losses_stand_over_their_rates(drawn):
    losses = {"a": {1e-2: 2.0, 3e-3: 3.0}, "b": {1e-2: 1.0, 3e-2: 4.0}}
    embeddings.draw_rates({"200 steps": losses, "800 steps": losses})
    axes = drawn[0].axes[1]
    assert list(axes.lines[0].get_xdata()) == [3e-3, 1e-2]
    assert list(axes.lines[0].get_ydata()) == [3.0, 2.0]
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks == ["0.003", "0.01", "0.03"]


def test_letters_of_both_kinds_are_parted(drawn):
    matrix = [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    embeddings.draw_kinship({"one": matrix}, letters="aeb", vowels=2)
    axes = drawn[0].axes[0]
    assert axes.images[0].get_array().tolist() == matrix
    assert axes.lines[0].get_ydata()[0] == pytest.approx(1.5)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "e", "b"]
