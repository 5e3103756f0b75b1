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


def test_the_leak_shows_losses_by_position_and_shares_by_source(drawn):
    losses = {"the same": [[0.1, 2.8]], "none": [[2.8, 2.8]]}
    shares = {name: {"seen": [0.9], "foretold": [0.1]} for name in losses}
    figures.draw_leak(losses, shares, least=2.77, chance=0.0625)
    left, right = drawn[0].axes
    assert left.lines[0].get_ydata().tolist() == [0.1, 2.8]
    assert right.lines[0].get_ydata().tolist() == [0.9]
    labels = [label.get_text() for label in right.get_xticklabels()]
    assert labels == ["the\nsame", "none"]
