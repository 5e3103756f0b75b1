"""Figures of self-attention show the numbers that they are given."""

import pytest
import torch

from chapters.self_attention import figures as self_attention


def test_two_banks_leave_from_the_one(drawn):
    before = {"river": (2.0, 0.0), "bank": (1.0, 1.5)}
    after = {"by the river": (1.5, 0.5), "by the road": (0.5, 1.0)}
    self_attention.draw_two_banks(before, after)
    axes = drawn[0].axes[0]
    ends = [tuple(line.get_xydata()[0]) for line in axes.lines]
    assert ends == list(after.values())
    arrows = [(text.xyann, text.xy) for text in axes.texts if not text.get_text()]
    assert arrows[:2] == [((0, 0), place) for place in before.values()]
    assert arrows[2:] == [((1.0, 1.5), place) for place in after.values()]


def test_the_outputs_of_the_hull_are_where_the_numbers_are(drawn):
    values = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    self_attention.draw_hull(values, values.mean(dim=0, keepdim=True))
    squares, circles = drawn[0].axes[0].lines
    assert squares.get_xydata().tolist() == values.tolist()
    assert circles.get_xydata() == pytest.approx(values.mean(dim=0)[None].numpy())


def test_equivariance_shows_the_rows_in_their_own_order(drawn):
    first = torch.randn(3, 4)
    self_attention.draw_equivariance(first, first.flip(0), rows=["a", "b", "c"])
    left, right = drawn[0].axes
    assert [t.get_text() for t in left.get_yticklabels()] == ["a", "b", "c"]
    assert [t.get_text() for t in right.get_yticklabels()] == ["c", "b", "a"]
    assert left.images[0].get_clim() == right.images[0].get_clim()
    assert [panel.patches[0].get_y() for panel in (left, right)] == [-0.5, 1.5]


def test_recall_draws_each_seed(drawn):
    runs = {"one": [[3, 2, 1], [3, 1, 0]], "two": [[4, 4, 4]]}
    self_attention.draw_recall(runs, chance=3.5)
    curves = [line for line in drawn[0].axes[0].lines if len(line.get_ydata()) == 3]
    assert [list(line.get_ydata()) for line in curves] == [
        [3, 2, 1],
        [3, 1, 0],
        [4] * 3,
    ]


def test_the_flow_shows_every_number_in_its_grid(drawn):
    query, key = torch.tensor([[0.0], [3.0]]), torch.tensor([[2.0], [0.0]])
    value, weights = torch.tensor([[2.0, 0.0], [1.0, 1.0]]), torch.eye(2)
    self_attention.draw_data_flow(
        ["river", "bank"], query, key, value, weights, weights @ value
    )
    panels = drawn[0].axes[0].child_axes
    scores = [text.get_text() for text in panels[2].texts]
    assert scores == ["0", "0", "6", "0"]
    assert panels[3].texts[0].get_text() == "1.00"
    assert [text.get_text() for text in panels[5].texts][2:] == ["1.00", "1.00"]
    assert [panels[at].patches[0].get_y() for at in (0, 2, 3, 5)] == [0.5] * 4
    assert not panels[1].patches
    assert not panels[4].patches


def test_meanings_are_drawn_over_the_layers(drawn):
    self_attention.draw_meanings([1.0, 0.9], [1.0, 0.7])
    same, different = drawn[0].axes[0].lines
    assert list(same.get_ydata()) == [1.0, 0.9]
    assert list(different.get_ydata()) == [1.0, 0.7]
    assert list(different.get_xdata()) == [0, 1]


def test_the_largest_weight_of_a_sentence_stands_out(drawn):
    self_attention.draw_looks([[("a", 0.2), ("b", 0.8)], [("c", 0.7), ("d", 0.3)]])
    colors = [
        [patch.get_facecolor() for patch in panel.patches] for panel in drawn[0].axes
    ]
    assert colors[0][1] == colors[1][0] != colors[0][0]
    assert [text.get_text() for text in drawn[0].axes[0].texts] == ["0.20", "0.80"]
    names = [label.get_text() for label in drawn[0].axes[1].get_yticklabels()]
    assert names == ["c", "d"]
