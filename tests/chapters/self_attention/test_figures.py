"""Figures of self-attention show the numbers that they are given."""

import pytest
import torch

from chapters.self_attention import figures as self_attention


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


def test_recall_draws_each_seed(drawn):
    runs = {"one": [[3, 2, 1], [3, 1, 0]], "two": [[4, 4, 4]]}
    self_attention.draw_recall(runs, chance=3.5)
    curves = [line for line in drawn[0].axes[0].lines if len(line.get_ydata()) == 3]
    assert [list(line.get_ydata()) for line in curves] == [
        [3, 2, 1],
        [3, 1, 0],
        [4] * 3,
    ]
