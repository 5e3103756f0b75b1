"""The figures of a real model's inside show the numbers that they are given."""

import torch

from chapters.inside import figures


def test_the_giant_is_drawn_over_the_layers(drawn):
    figures.draw_giant({"a": [1.0, 10.0]}, {"a": torch.tensor([0.25, 0.5])})
    above, below = drawn[0].axes
    assert above.lines[0].get_ydata().tolist() == [1.0, 10.0]
    assert below.lines[0].get_ydata().tolist() == [0.25, 0.5]
    assert below.lines[0].get_xdata().tolist() == [1, 2]
    assert above.get_yscale() == "log"


def test_locks_share_one_scale(drawn):
    maps = {
        "one": (torch.tensor([[2.0, 0.0], [0.0, 1.0]]), "asks", "about"),
        "two": (torch.tensor([[0.5, 0.0], [0.0, -0.5]]), "asks", "about"),
    }
    figures.draw_locks(maps, words=["x", "y"])
    panels = drawn[0].axes
    assert [panel.get_title() for panel in panels] == ["one", "two"]
    assert {panel.images[0].get_clim() for panel in panels} == {(-2.0, 2.0)}


def test_columns_are_drawn_over_the_depths_of_the_exchange(drawn):
    chances = {"one": torch.tensor([1.0, 0.5, 0.0]), "two": [0.0, 0.25, 1.0]}
    figures.draw_columns((0, 16, 30), chances)
    axes = drawn[0].axes[0]
    assert axes.lines[0].get_xdata().tolist() == [0, 16, 30]
    assert [line.get_ydata().tolist() for line in axes.lines[:2]] == [
        [1.0, 0.5, 0.0],
        [0.0, 0.25, 1.0],
    ]
    low, high = axes.get_ylim()
    assert low < 0
    assert high > 1
