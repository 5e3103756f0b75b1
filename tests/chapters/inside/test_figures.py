"""The figures of a real model's inside show the numbers that they are given."""

import torch

from chapters.inside import figures


def test_the_relay_has_three_passes_upward(drawn):
    figures.draw_relay()
    axes = drawn[0].axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert [word for word in figures.COLUMNS if word != "…"] == [
        text for text in texts if text in {*figures.COLUMNS} - {"…"}
    ]
    assert all(words in texts for *_, words, _ in figures.PASSES)
    heights = [figures.height_of(layer) for layer, *_ in figures.PASSES]
    assert heights == sorted(heights)
    assert figures.height_of(12) == 6
    assert figures.height_of(30) == 24


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


def test_the_first_place_is_on_top(drawn):
    figures.draw_places({"Piano": [100, 10, 1], "Elephant": [90, 20, 3]})
    axes = drawn[0].axes[0]
    assert [line.get_ydata().tolist() for line in axes.lines[:2]] == [
        [100, 10, 1],
        [90, 20, 3],
    ]
    low, high = axes.get_ylim()
    assert low > high
