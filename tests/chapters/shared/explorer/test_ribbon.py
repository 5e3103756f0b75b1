"""Ribbons keep their width and begin and end where they are told to."""

import re

import pytest
import torch

from chapters.shared.explorer.ribbon import ribbon


def test_script_draws_ribbons_as_python_does(ask):
    given = [
        ((a, b), (c, d), abs(e)) for a, b, c, d, e in (50 * torch.randn(40, 5)).tolist()
    ]
    assert ask(None, *(["ribbon", *each] for each in given)) == [
        ribbon(*each) for each in given
    ]


def test_ribbon_is_as_wide_at_both_ends():
    path = ribbon((10, 40), (50, 80), 6)
    left, top = map(float, re.match(r"M(\S+) (\S+?)C", path).groups())
    right, high, low = map(float, re.search(r"(\S+) (\S+)V(\S+?)C", path).groups())
    assert (left, top) == (10, 37)
    assert (right, high, low) == (50, 77, 83)
    assert path.endswith("10.00 43.00Z")
    assert low - high == pytest.approx(6)
