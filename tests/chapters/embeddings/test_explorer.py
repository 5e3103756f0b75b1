"""The push that the explorer shows is what gradient descent does to a row."""

import re

import pytest
import torch
import torch.nn.functional as F

from bookkit.checking.facts import facts
from chapters.embeddings import explorer
from chapters.embeddings.explorer import COLUMNS

HTML = explorer.show()._repr_html_()
ROWS = [[x / 2, y / 2] for x in range(-4, 5) for y in range(-4, 5)]
# Those of the chapter, and some whose words resemble each other.
OUTPUTS = ([*COLUMNS.values()], [(1.0, 0.5), (-0.5, 2.0), (0.3, 0.3)])


@facts("columns", OUTPUTS)
@facts("came", [0, 1])
def test_push_is_the_gradient_turned_around(ask, columns, came):
    asked = [["math.push", columns, row, came] for row in ROWS]
    for place, found in zip(ROWS, ask("embeddings", *asked), strict=True):
        row = torch.tensor(place, dtype=torch.float64, requires_grad=True)
        output = torch.tensor(columns, dtype=torch.float64).T
        scores = row @ output
        loss = F.cross_entropy(scores, torch.tensor(came))
        loss.backward()
        assert found["push"] == pytest.approx((-row.grad).tolist())
        assert found["loss"] == pytest.approx(loss.item())
        assert found["chances"] == pytest.approx(scores.softmax(dim=-1).tolist())
        assert found["scores"] == pytest.approx(scores.tolist())


def test_a_row_stays_in_the_plane(ask):
    pulled = [[9, -9], [0.5, -2], [-2.3, 0]]
    expected = [[2.2, -2.2], [0.5, -2], [-2.2, 0]]
    assert ask("embeddings", *(["math.clamp", row] for row in pulled)) == expected


def test_first_picture_is_the_push_of_the_chapter():
    told = re.search(r"The push is ([^=]+) = ([^<]+)<", HTML)
    assert told[1] == "(1, 0) \N{MINUS SIGN} (0.50, 0.50)"
    assert told[2] == "(0.50, \N{MINUS SIGN}0.50), the loss 0.69."
