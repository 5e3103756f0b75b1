"""The figures on embeddings show the numbers that they are given."""

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


def test_merges_show_the_lengths(drawn):
    embeddings.draw_merges([19, 30], {"seen": [4.0, 2.0], "new": [4.5, 3.0]})
    axes = drawn[0].axes[0]
    assert list(axes.lines[1].get_ydata()) == [4.5, 3.0]
    assert axes.get_ylim()[0] == 0


def test_padding_is_shaded_and_nothing_else(drawn):
    embeddings.draw_batch([["<bos>", "a"], ["b", "<pad>"]], padding="<pad>")
    axes = drawn[0].axes[0]
    assert words(axes) == ["<bos>", "a", "b", "<pad>"]
    colors = [cell.get_facecolor() for cell in axes.patches]
    assert colors[0] == colors[1] == colors[2] != colors[3]


def test_a_look_up_shows_the_rows_that_were_found(drawn):
    table = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    embeddings.draw_look_up([[0, 0, 1], [1, 0, 0]], table, ["x", "y", "z"])
    product = drawn[0].axes[2].images[0].get_array()
    assert product.tolist() == [[5.0, 6.0], [1.0, 2.0]]


def test_shares_are_percentages_of_the_model(drawn):
    embeddings.draw_shares({"m": (25_000_000, 100_000_000)})
    axes = drawn[0].axes[0]
    assert axes.patches[0].get_width() == 25
    assert words(axes) == ["25 % of 100 million"]


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
