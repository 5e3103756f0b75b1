"""The functions that an answer calls are counted, wherever they come from."""

import math
import sys

import pytest
import torch
from torch.nn import functional as F

from chapters.calls import calls, uses_package
from transformer.layers import causal_mask


def by_pytorch(x):
    return F.softmax(x, dim=-1) @ x.mT


def by_the_package(length):
    return causal_mask(length)


def by_a_loop(length):
    return [math.sin(place) for place in range(length)]


def test_functions_of_pytorch_are_counted_by_name():
    assert calls(by_pytorch, torch.ones(2, 3))["softmax"] >= 1


def test_functions_of_the_package_come_with_their_module():
    assert "transformer.layers.masks.causal_mask" in calls(by_the_package, 3)
    assert uses_package(by_the_package, length=3)
    assert not uses_package(by_pytorch, torch.ones(2, 3))


def test_a_loop_is_seen_by_what_it_calls():
    assert [calls(by_a_loop, length)["sin"] for length in (3, 7)] == [3, 7]


def test_who_watched_before_goes_on_watching_also_after_an_error():
    def watch(*event):
        return None

    sys.setprofile(watch)
    try:
        with pytest.raises(ZeroDivisionError):
            calls(lambda: 1 / 0)
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)
