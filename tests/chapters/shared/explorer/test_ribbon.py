"""Ribbons keep their width and begin and end where they are told to."""

import re

import pytest


def test_ribbon_is_as_wide_at_both_ends(ask):
    [path] = ask(None, ["ribbon", (10, 40), (50, 80), 6])
    left, top = map(float, re.match(r"M(\S+) (\S+?)C", path).groups())
    right, high, low = map(float, re.search(r"(\S+) (\S+)V(\S+?)C", path).groups())
    assert (left, top) == (10, 37)
    assert (right, high, low) == (50, 77, 83)
    assert path.endswith("10.00 43.00Z")
    assert low - high == pytest.approx(6)
