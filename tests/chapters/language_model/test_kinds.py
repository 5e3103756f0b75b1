"""Pieces are sorted by what they are, and their prices by kind."""

import pytest
import torch

from chapters.language_model.kinds import KINDS, by_kind, kind_of


@pytest.mark.parametrize(
    ("before", "piece", "kind"),
    [
        (".", "\n", "ends of lines"),
        (" king", ",", None),
        (" king", "\n", "ends of lines"),
        ("\n", "And", None),
        (" the", " king", "starts of words"),
        (" k", "ing", "rest of words"),
        (" to", " Mo", "names"),
        (" Mo", "ses", "rest of words"),
        (",", " Go", None),
        (",", " and", "starts of words"),
    ],
)
def test_the_kind_of_a_piece(before, piece, kind):
    assert kind_of(before, piece) == kind


def test_the_mean_of_each_kind_leaves_marks_out():
    kinds = [*KINDS, None, KINDS[0]]
    bits = torch.tensor([1.0, 2.0, 3.0, 4.0, 100.0, 3.0])
    assert by_kind(bits, kinds) == dict(zip(KINDS, [2.0, 2.0, 3.0, 4.0], strict=True))
