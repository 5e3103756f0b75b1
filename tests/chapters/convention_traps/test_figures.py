"""The figure of the appendix of traps shows the entries that it is given."""

import torch

from chapters.convention_traps import figures as convention_traps
from chapters.start import BLUE, PAPER


def test_each_dialect_is_a_row_of_its_entries(drawn):
    masks = {
        "bool": torch.tensor([True, False]),
        "int": torch.tensor([1, 0]),
        "added": torch.tensor([0.0, -torch.inf]),
    }
    convention_traps.draw_polarity(masks, tokens=["a", "pad"], seen=[True, False])
    axes = drawn[0].axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["True", "False", "1", "0", "0.0", "-inf"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(masks)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["a", "pad"]


def test_what_may_be_seen_is_blue_in_every_dialect(drawn):
    masks = {"allow": torch.tensor([True, False]), "block": torch.tensor([False, True])}
    convention_traps.draw_polarity(masks, tokens=["a", "pad"], seen=[True, False])
    colors = [text.get_color() for text in drawn[0].axes[0].texts]
    assert colors == [PAPER, "#1a1a1a"] * 2
    first = drawn[0].axes[0].patches[0].get_facecolor()
    assert first[:3] == tuple(int(BLUE[i : i + 2], 16) / 255 for i in (1, 3, 5))
