"""The explorer of a stream adds and takes apart what sublayers write."""

import pytest
import torch

from chapters.residual_connections import explorer
from chapters.shared.explorer.markup import MINUS

WORD, CHANGES = explorer.WORD, explorer.CHANGES
MOVES = [(0, (2.5, 0.5)), (1, (1.0, 1.0)), (2, (0.0, 4.0))]


def stream(x, changes):
    """Return a residual stream in front of, between and behind its sublayers."""
    points = [torch.tensor(x)]
    for change in changes:
        points.append(points[-1] + torch.tensor(change))
    return torch.stack(points)


def test_script_adds_each_change_to_the_stream(ask):
    [found] = ask("residual_connections", ["math.stream", WORD, CHANGES])
    torch.testing.assert_close(torch.tensor(found).float(), stream(WORD, CHANGES))
    [entries] = ask("residual_connections", ["math.entries", found])
    assert [tuple(entry) for entry in entries] == [WORD, *CHANGES]


def test_a_moved_point_takes_all_later_ones_along_and_no_earlier_one(ask):
    start = stream(WORD, CHANGES)
    asked = [["math.move", start.tolist(), i, to] for i, to in MOVES]
    for (i, to), moved in zip(MOVES, ask("residual_connections", *asked), strict=True):
        moved = torch.tensor(moved).float()
        torch.testing.assert_close(moved[:i], start[:i])
        by = torch.tensor(to) - start[i]
        torch.testing.assert_close(moved[i:], start[i:] + by)


def test_what_lies_along_the_word_is_a_projection(ask):
    vectors = torch.randn(20, 2, 2, dtype=torch.float64)
    asked = [["math.along", *pair] for pair in vectors.tolist()]
    vector, word = vectors.unbind(dim=1)
    expected = (vector * word).sum(dim=-1) / word.norm(dim=-1)
    found = ask("residual_connections", *asked, ["math.along", [1, 2], [0, 0]])
    assert found == pytest.approx([*expected.tolist(), 0])


def test_first_picture_is_the_example_of_the_chapter():
    told = "ends at (2.0, 4.0). Along the word it holds 2.00 of 3.00."
    html = explorer.show()._repr_html_()
    assert told in html
    assert f"handed on, ({MINUS}1.0, 2.0)." in html
