"""The figures on the complete Transformer show the numbers that they are given."""

import pytest

from chapters.transformer import figures as transformer


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_the_wiring_names_each_module(drawn):
    transformer.draw_wiring()
    found = words(drawn[0].axes[0])
    assert found.count("embedding") == 2
    assert {"encoder", "decoder", "head", "memory", "tied"} <= {*found}


def test_each_station_of_the_path_has_its_numbers_and_its_shape(drawn):
    stations = {
        "encoder": {"sum": [[1.0, -2.0]], "weights": [[0.5, 0.5]], "end": [[9.0]]},
        "decoder": {"logits": [[0.0, -0.01]]},
    }
    tokens = {"encoder": ["a"], "decoder": ["b"]}
    transformer.draw_path(stations, tokens=tokens, columns=2)
    panels = drawn[0].axes
    titles = [axes.get_title() for axes in panels]
    assert titles == ["1 sum", "2 weights", "3 end", "", "4 logits", ""]
    assert panels[0].get_xlabel() == "1 x 2"
    assert words(panels[0]) == ["1.0", "-2.0"]
    assert words(panels[4]) == ["0.0", "0.0"]
    assert [label.get_text() for label in panels[4].get_yticklabels()] == ["b"]


def test_a_bar_of_the_budget_adds_up_to_a_hundred(drawn):
    names = [name for group in transformer.GROUPS.values() for name in group]
    transformer.draw_budgets({"one": dict.fromkeys(names, 3)})
    bars = drawn[0].axes[0].patches
    assert sum(bar.get_width() for bar in bars) == pytest.approx(100)
    assert words(drawn[0].axes[0]) == ["22", "33", "22", "22"]


def test_the_leak_shows_losses_by_position_and_shares_by_source(drawn):
    losses = {"the same": [[0.1, 2.8]], "none": [[2.8, 2.8]]}
    shares = {name: {"seen": [0.9], "foretold": [0.1]} for name in losses}
    transformer.draw_leak(losses, shares, least=2.77, chance=0.0625)
    left, right = drawn[0].axes
    assert left.lines[0].get_ydata().tolist() == [0.1, 2.8]
    assert right.lines[0].get_ydata().tolist() == [0.9]
    labels = [label.get_text() for label in right.get_xticklabels()]
    assert labels == ["the\nsame", "none"]
