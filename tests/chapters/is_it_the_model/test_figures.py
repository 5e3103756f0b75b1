"""The figures on checks of a fresh model show the numbers that they are given."""

import pytest

from chapters.is_it_the_model import figures


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_a_bar_of_the_budget_adds_up_to_a_hundred(drawn):
    names = [name for group in figures.GROUPS.values() for name in group]
    figures.draw_budgets({"one": dict.fromkeys(names, 3)})
    bars = drawn[0].axes[0].patches
    assert sum(bar.get_width() for bar in bars) == pytest.approx(100)
    assert words(drawn[0].axes[0]) == ["22", "33", "22", "22"]


def test_a_place_sees_its_answer_only_without_the_mask(drawn):
    figures.draw_answers("won ")
    for axes, seen in zip(drawn[0].axes, (False, True), strict=True):
        image = axes.images[0].get_array()
        corners = [patch.get_xy() for patch in axes.patches]
        assert corners == [(0.55, -0.45), (1.55, 0.55)]  # none for the last place
        for row in range(2):
            assert image[row, row] == 1
            assert image[row, row + 1] == seen
        labels = [label.get_text() for label in axes.get_yticklabels()]
        assert labels == ["w → o", "o → n", "n → ␣"]


def test_the_first_losses_stand_beside_the_formula(drawn):
    figures.draw_first_losses([0.01, 0.1], [[7.0, 9.0]], features=512, least=6.9)
    axes = drawn[0].axes[0]
    law, dots, least = axes.lines
    assert law.get_ydata()[-1] == pytest.approx(6.9 + 512 * 0.01 / 2)
    assert dots.get_ydata().tolist() == [7.0, 9.0]
    assert least.get_ydata()[0] == 6.9


def test_the_mistakes_that_a_check_sees_are_framed(drawn):
    results = {"right": ([0, 1.19], [True, True]), "wrong": ([512, 7.2], [False, True])}
    figures.draw_mistakes(results, checks=["count", "loss"])
    axes = drawn[0].axes[0]
    assert words(axes) == ["0", "1.2", "512", "7.2"]
    framed = [patch for patch in axes.patches if patch.get_linewidth() == 2]
    assert [patch.get_xy() for patch in framed] == [(-0.46, 1 - 0.42)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["right", "wrong"]
